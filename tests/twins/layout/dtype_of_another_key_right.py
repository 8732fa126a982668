"""Two keys, one of them perhaps given as a number: their dtypes are compared with each other."""

import jax


def formal(key):
    if isinstance(key, int):
        return jax.random.key(key)
    if isinstance(key, jax.Array):
        return key
    return jax.random.wrap_key_data(key)


def agree(first, second):
    one, two = formal(first), formal(second)
    return one.dtype == two.dtype


def example():
    return agree(0, 1), agree(jax.random.key(0), 1)
