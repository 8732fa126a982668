"""A helper that splits a key, and gives back what it has split before."""

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
    later, _ = jax.random.split(key)
    later, _ = jax.random.split(later)
    stacked = split_once(later, 3)
    again = split_once(stacked, 3)
    return jax.vmap(jax.random.normal)(again.keys)
