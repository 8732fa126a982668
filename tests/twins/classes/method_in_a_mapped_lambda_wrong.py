"""A lambda that is mapped calls a method of the object that it captures, with one key for all."""

import jax
import jax.numpy as jnp


class Noise:
    def __init__(self, scale):
        self.scale = scale

    def add(self, key, x):
        return x + self.scale * jax.random.normal(key)

    def apply(self, key, xs):
        return jax.lax.map(lambda x: self.add(key, x), xs)  # error: OLY104 certain


def example():
    return Noise(2.0).apply(jax.random.key(0), jnp.ones(3))
