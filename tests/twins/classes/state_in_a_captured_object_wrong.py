"""A function inside of a method draws from the key that the method's object keeps."""

import jax
import jax.numpy as jnp


class Environment:
    def __init__(self, key):
        self.key = key

    def rows(self, count):
        def row(x):
            return x + jax.random.normal(self.key)  # error: OLY104 certain

        self.key, subkey = jax.random.split(self.key)
        return jax.lax.map(row, jnp.ones(count)) + jax.random.normal(subkey)


def example():
    return Environment(jax.random.key(0)).rows(3)
