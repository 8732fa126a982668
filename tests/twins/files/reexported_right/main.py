"""A step of the training: the batch and its augmentation."""

import jax

from . import batch


def step(seed, data):
    key = jax.random.key(seed)
    batch_key, noise_key = jax.random.split(key)
    rows = batch(batch_key, data, 2)
    return rows + jax.random.normal(noise_key, rows.shape)


def example():
    return step(0, jax.numpy.arange(5.0))
