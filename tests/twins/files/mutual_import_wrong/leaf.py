"""Leaves, which may grow a tree of their own."""

import jax

from . import tree


def value(key):
    return jax.random.normal(key)


def bush(seed):
    key = jax.random.key(seed)
    stem = value(key)  # first
    return stem + tree.grow(key, 1)  # error: OLY104 certain
