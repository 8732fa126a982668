"""An object that holds a key and draws from it without writing it back."""

import jax


class Sampler:
    def __init__(self, seed, low, high):
        self.key = jax.random.key(seed)
        self.low, self.high = low, high

    def pair(self):
        first = jax.random.uniform(self.key, (), minval=self.low, maxval=self.high)  # first
        second = jax.random.uniform(self.key, (), minval=self.low, maxval=self.high)  # error: OLY104 certain
        return first, second


def example():
    return Sampler(0, -1.0, 1.0).pair()
