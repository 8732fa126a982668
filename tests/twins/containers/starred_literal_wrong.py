"""A list of children and of the key that they come from."""

import jax


def keys_of(key):
    return [*jax.random.split(key, 2), key]


def three(seed):
    key = jax.random.key(seed)
    a, b, c = keys_of(key)  # first
    return [jax.random.normal(a), jax.random.normal(b), jax.random.normal(c)]  # error: OLY104 certain


def example():
    return three(0)
