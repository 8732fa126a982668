"""A data loader as a generator: each epoch is to be shuffled anew."""

import jax
import jax.numpy as jnp


def batches(data, key, epochs, size):
    for _ in range(epochs):
        order = jax.random.permutation(key, data.shape[0])  # error: OLY104 certain
        for start in range(0, data.shape[0], size):
            yield data[order[start : start + size]]


def example():
    return sum(jnp.sum(batch) for batch in batches(jnp.arange(6.0), jax.random.key(0), 2, 3))
