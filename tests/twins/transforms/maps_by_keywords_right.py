"""The arguments of ``map`` and ``tree.map`` are given by name."""

import jax
import jax.numpy as jnp


def rows(key, xs):
    return jax.lax.map(f=lambda x: x[0] + jax.random.normal(x[1]), xs=(xs, jax.random.split(key, len(xs))))


def leaves(key, tree):
    flat, structure = jax.tree.flatten(tree)
    keys = structure.unflatten(jax.random.split(key, len(flat)))
    return jax.tree.map(lambda x, key: x + jax.random.normal(key, x.shape), tree, keys)


def example():
    first, second = jax.random.split(jax.random.key(0))
    return rows(first, jnp.ones(3)), leaves(second, {"a": jnp.ones(2), "b": jnp.ones(3)})
