"""Each method folds a number of its own into the key of the seed."""

import jax


class Sampler:
    def __init__(self, seed):
        self.seed = seed

    def mask(self):
        return jax.random.normal(jax.random.fold_in(jax.random.key(self.seed), 0), (4,)) > 0

    def noise(self):
        return jax.random.normal(jax.random.fold_in(jax.random.key(self.seed), 1), (4,))

    def masked_noise(self):
        mask = self.mask()
        return mask * self.noise()


def main():
    assert Sampler(3).masked_noise().shape == (4,)
