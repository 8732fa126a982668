"""A layer that is called."""

import jax
import jax.numpy as jnp


class Dropout:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, x, key):
        keep = jax.random.bernoulli(key, 1 - self.rate, x.shape)
        return jnp.where(keep, x / (1 - self.rate), 0.0)


class Block:
    def __init__(self):
        self.first, self.second = Dropout(0.1), Dropout(0.5)

    def __call__(self, x, key):
        x = self.first(jnp.tanh(x), key)  # first
        return self.second(jnp.tanh(x), key)  # error: OLY104 certain


def example():
    return Block()(jnp.ones(4), jax.random.key(0))
