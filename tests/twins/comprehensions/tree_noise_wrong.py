"""Noise for every leaf of a parameter tree."""

import jax
import jax.numpy as jnp


def perturb(key, params, scale):
    leaves, structure = jax.tree.flatten(params)
    noise = [jax.random.normal(key, leaf.shape) for leaf in leaves]  # error: OLY104 certain
    return jax.tree.unflatten(structure, [leaf + scale * n for leaf, n in zip(leaves, noise, strict=True)])


def example():
    return perturb(jax.random.key(0), {"a": jnp.ones(3), "b": jnp.ones(3)}, 0.1)
