"""A generator that yields keys, and one that yields the same key again and again."""

import jax


def key_sequence(key):
    while True:
        _, subkey = jax.random.split(key)  # error: OLY104 certain
        yield subkey


def init(seed):
    keys = key_sequence(jax.random.key(seed))
    return jax.random.normal(next(keys), (2,)) + jax.random.uniform(next(keys), (2,))


def example():
    return init(0)
