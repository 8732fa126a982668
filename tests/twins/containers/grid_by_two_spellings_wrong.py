"""One key of a grid under two spellings of its index."""

import jax


def corners(key):
    keys = jax.random.split(key, (2, 3))
    a = jax.random.normal(keys[0][1])  # first
    b = jax.random.normal(keys[0, 1])  # error: OLY104 certain
    return a + b


def example():
    return corners(jax.random.key(0))
