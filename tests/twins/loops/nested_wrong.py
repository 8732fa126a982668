"""Epochs and batches: the key of the epoch draws for every batch of it."""

import jax
import jax.numpy as jnp


def fit(key, data, epochs):
    loss = 0.0
    for epoch in range(epochs):
        epoch_key = jax.random.fold_in(key, epoch)
        for batch in data:
            mask = jax.random.bernoulli(epoch_key, 0.5, batch.shape)  # error: OLY104 certain
            loss = loss + jnp.sum(batch * mask)
    return loss


def example():
    return fit(jax.random.key(0), [jnp.ones(3), jnp.ones(3)], 2)
