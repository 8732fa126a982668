"""Noise for all leaves with `tree.map`: leaves of one shape get equal noise."""

import jax
import jax.numpy as jnp


def exploration_noise(key, params, sigma):
    leaves, structure = jax.tree.flatten(params)
    keys = jax.tree.unflatten(structure, list(jax.random.split(key, len(leaves))))
    return jax.tree.map(lambda leaf, k: leaf + sigma * jax.random.normal(k, leaf.shape), params, keys)


def example():
    return exploration_noise(jax.random.key(0), [jnp.ones(2), jnp.ones(2)], 0.1)
