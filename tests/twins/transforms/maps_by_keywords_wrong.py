"""The arguments of ``map`` and ``tree.map`` are given by name."""

import jax
import jax.numpy as jnp


def rows(key, xs):
    return jax.lax.map(f=lambda x: x + jax.random.normal(key), xs=xs)  # error: OLY104 certain


def leaves(key, tree):
    return jax.tree.map(f=lambda x: x + jax.random.normal(key, x.shape), tree=tree)  # error: OLY104 likely


def example():
    first, second = jax.random.split(jax.random.key(0))
    return rows(first, jnp.ones(3)), leaves(second, {"a": jnp.ones(2), "b": jnp.ones(3)})
