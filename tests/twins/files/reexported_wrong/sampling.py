"""Samples of a data set."""

import jax


def sample_batch(key, data, size):
    return jax.random.choice(key, data, (size,))
