"""Noise for all leaves with `tree.map`: leaves of one shape get equal noise."""

import jax
import jax.numpy as jnp


def exploration_noise(key, params, sigma):
    return jax.tree.map(lambda leaf: leaf + sigma * jax.random.normal(key, leaf.shape), params)  # error: OLY104 likely


def example():
    return exploration_noise(jax.random.key(0), [jnp.ones(2), jnp.ones(2)], 0.1)
