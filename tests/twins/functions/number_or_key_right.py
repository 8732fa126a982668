"""A helper that takes a number or a key: what it does for a number is not done for a key."""

import jax


def noise(key, shape):
    if isinstance(key, int):
        return jax.numpy.full(shape, key)
    return jax.random.normal(key, shape)


def filled(key, shape):
    if not isinstance(key, int):
        return jax.numpy.zeros(shape)
    return jax.random.normal(jax.random.key(key), shape)


def example():
    key = jax.random.key(0)
    return noise(key, (2,)) + filled(key, (2,)) + noise(3, (2,)) + noise(3, (2,))
