"""A block is annotated with a layer that draws nothing and made of one that draws."""

import jax
import jax.numpy as jnp


class Noise:
    def __call__(self, x, key):
        return x + jax.random.normal(key, x.shape)


class Scale:
    def __call__(self, x, key):
        return 2.0 * x


class Block:
    first: Scale
    second: Noise

    def __init__(self):
        self.first = Noise()
        self.second: Scale = Noise()

    def __call__(self, x, key):
        x = self.first(x, key)  # first
        return self.second(x, key)  # error: OLY104 certain


def example():
    return Block()(jnp.ones(3), jax.random.key(0))
