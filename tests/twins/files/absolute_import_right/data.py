"""A data set."""

import jax


def load(key, n):
    return jax.random.normal(key, (n, 2))
