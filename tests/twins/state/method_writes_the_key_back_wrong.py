"""A helper draws from the key of an object and gives the key itself back, which the object keeps."""

import jax


class Trainer:
    def __init__(self, key):
        self.key = key

    def _train(self, key):
        return key, jax.random.normal(key)

    def run(self):
        self.key, drawn = self._train(self.key)  # error: OLY104 likely
        return drawn


def example():
    return Trainer(jax.random.key(0)).run()
