"""Leaves, which may grow a tree of their own."""

import jax

from . import tree


def value(key):
    return jax.random.normal(key)


def bush(seed):
    key = jax.random.key(seed)
    stem_key, tree_key = jax.random.split(key)
    stem = value(stem_key)
    return stem + tree.grow(tree_key, 1)
