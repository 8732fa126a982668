"""A key of the module that a function advances, or does not."""

import jax

_key = jax.random.PRNGKey(0)


def fresh():
    global _key
    _key, subkey = jax.random.split(_key)
    return subkey


def init(shape):
    weights = jax.random.normal(fresh(), shape)
    return weights + jax.random.uniform(fresh(), shape)


def main():
    return init((2,))
