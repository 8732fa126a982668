"""A key, perhaps given as a number: its dtype is compared with that of the words of raw keys."""

import jax
import jax.numpy as jnp


def formal(key):
    if isinstance(key, int):
        return jax.random.PRNGKey(key)
    return key


def is_key(first):
    one = formal(first)
    return one.dtype == jnp.uint32  # error: OLY203 certain


def example():
    return is_key(0)
