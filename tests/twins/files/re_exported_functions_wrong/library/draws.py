"""Functions that make keys and draw from them."""

import jax


def first(seed):
    return jax.random.key(seed)


def parts(key):
    return jax.random.split(key)


def noise(key):
    return jax.random.normal(key)
