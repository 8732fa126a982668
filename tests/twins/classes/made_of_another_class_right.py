"""A block is annotated with one layer and made of another one, which draws nothing."""

import jax
import jax.numpy as jnp


class Noise:
    def __call__(self, x, key):
        return x + jax.random.normal(key, x.shape)


class Scale:
    def __call__(self, x, key):
        return 2.0 * x


class Block:
    first: Noise
    second: Noise

    def __init__(self):
        self.first = Scale()
        self.second: Scale = Noise()

    def __call__(self, x, key):
        x = self.first(x, key)
        return self.second(x, key)


def example():
    return Block()(jnp.ones(3), jax.random.key(0))
