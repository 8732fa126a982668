"""Samples for each batch: the map gives every sample a key of its own, and the loop gives every batch the same ones."""

import jax
import jax.numpy as jnp


def noisy(key, batches, samples):
    keys = jax.random.split(key, samples)
    outputs = []
    for batch in batches:
        outputs.append(jax.lax.map(lambda k: batch + jax.random.normal(k, batch.shape), keys))  # error: OLY104 certain
    return outputs


def example():
    return noisy(jax.random.key(0), [jnp.zeros(3), jnp.ones(3)], 2)
