"""An object that holds a key and draws from it without writing it back."""

import jax


class Sampler:
    def __init__(self, seed, low, high):
        self.key = jax.random.key(seed)
        self.low, self.high = low, high

    def pair(self):
        self.key, first_key, second_key = jax.random.split(self.key, 3)
        first = jax.random.uniform(first_key, (), minval=self.low, maxval=self.high)
        second = jax.random.uniform(second_key, (), minval=self.low, maxval=self.high)
        return first, second


def example():
    return Sampler(0, -1.0, 1.0).pair()
