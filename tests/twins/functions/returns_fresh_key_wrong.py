"""A helper that gives the key back: refreshed in one program, as it came in the other."""

import jax


def take_batch(key, data, size):
    _, subkey = jax.random.split(key)
    return jax.random.choice(subkey, data, (size,)), key


def two_batches(key, data):
    first, key = take_batch(key, data, 2)  # first
    second, key = take_batch(key, data, 2)  # error: OLY104 certain
    return first + second


def example():
    return two_batches(jax.random.key(0), jax.numpy.arange(10.0))
