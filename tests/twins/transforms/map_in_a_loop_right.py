"""Samples for each batch: the map gives every sample a key of its own, and the loop gives every batch other keys."""

import jax
import jax.numpy as jnp


def noisy(key, batches, samples):
    outputs = []
    for batch in batches:
        key, subkey = jax.random.split(key)
        keys = jax.random.split(subkey, samples)
        outputs.append(jax.lax.map(lambda k: batch + jax.random.normal(k, batch.shape), keys))
    return outputs


def example():
    return noisy(jax.random.key(0), [jnp.zeros(3), jnp.ones(3)], 2)
