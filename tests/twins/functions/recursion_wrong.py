"""A tree of random splits: both children get a key of their own, or both the same one."""

import jax


def grow(key, depth):
    value = jax.random.normal(key)  # first
    if depth == 0:
        return value
    left_key, right_key = jax.random.split(key)  # error: OLY104 certain
    return value + grow(left_key, depth - 1) + grow(right_key, depth - 1)


def example():
    return grow(jax.random.key(0), 2)
