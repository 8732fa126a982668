"""A key of the module that a function advances, or does not."""

import jax

_key = jax.random.PRNGKey(0)


def fresh():
    global _key
    _key, subkey = jax.random.split(_key)
    return subkey


def init(shape):
    key = fresh()
    weights = jax.random.normal(key, shape)  # first
    return weights + jax.random.uniform(key, shape)  # error: OLY104 certain


def main():
    return init((2,))
