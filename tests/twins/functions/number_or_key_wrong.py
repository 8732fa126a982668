"""A helper that takes a number or a key, and draws from a key."""

import jax


def noise(key, shape):
    if isinstance(key, int):
        return jax.numpy.full(shape, key)
    return jax.random.normal(key, shape)


def filled(key, shape):
    if isinstance(key, int):
        return jax.numpy.zeros(shape)
    return jax.random.normal(key, shape)


def example():
    key = jax.random.key(0)
    first = noise(key, (2,))  # first
    return first + filled(key, (2,))  # error: OLY104 certain
