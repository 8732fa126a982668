"""A helper that splits a key, and gives back what it has split before; it is given the key twice."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class Stacked(NamedTuple):
    keys: Any


def split_once(key, count):
    if isinstance(key, Stacked):
        return jax.tree.map(lambda leaf: leaf, key)
    children = []
    for _ in range(count):
        key, child = jax.random.split(key)
        children.append(child)
    return Stacked(keys=jnp.stack(children))


def example():
    key = jax.random.key(0)
    stacked = split_once(key, 3)  # first
    again = split_once(key, 3)  # error: OLY104 certain
    draws = jax.vmap(jax.random.normal)(stacked.keys)
    return draws + jax.vmap(jax.random.normal)(again.keys)
