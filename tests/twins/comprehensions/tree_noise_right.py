"""Noise for every leaf of a parameter tree."""

import jax
import jax.numpy as jnp


def perturb(key, params, scale):
    leaves, structure = jax.tree.flatten(params)
    keys = jax.random.split(key, len(leaves))
    noise = [jax.random.normal(k, leaf.shape) for k, leaf in zip(keys, leaves, strict=True)]
    return jax.tree.unflatten(structure, [leaf + scale * n for leaf, n in zip(leaves, noise, strict=True)])


def example():
    return perturb(jax.random.key(0), {"a": jnp.ones(3), "b": jnp.ones(3)}, 0.1)
