"""Two methods begin with the seed of their object."""

import jax


class Sampler:
    def __init__(self, seed):
        self.seed = seed

    def mask(self):
        return jax.random.normal(jax.random.key(self.seed), (4,)) > 0  # first

    def noise(self):
        return jax.random.normal(jax.random.key(self.seed), (4,))  # first

    def masked_noise(self):
        mask = self.mask()  # first
        return mask * self.noise()  # error: OLY104 likely


def main():
    assert (Sampler(3).masked_noise() >= 0).all()
