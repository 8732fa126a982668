"""Epochs over batches: a skipped batch leaves the key as it was."""

import jax
import jax.numpy as jnp


def train(key, batches, weights):
    for batch in batches:
        noisy = batch + 0.1 * jax.random.normal(key, batch.shape)  # error: OLY104 certain
        if batch.shape[0] < 2:
            continue
        weights = weights - 0.01 * jnp.mean(noisy, axis=0)
        key = jax.random.fold_in(key, 1)
    return weights


def example():
    return train(jax.random.key(0), [jnp.ones((1, 3)), jnp.ones((4, 3))], jnp.zeros(3))
