"""A default key from which each call without one draws the same mask."""

import jax


class Block:
    def __init__(self, width, rate=0.5):
        self.width, self.rate = width, rate

    def __call__(self, x, key=jax.random.key(0)):  # error: OLY107 certain
        key, subkey = jax.random.split(key)
        return x * self.width * jax.random.bernoulli(subkey, self.rate, x.shape)


def example():
    return Block(2.0)(jax.numpy.ones(3), jax.random.key(1))
