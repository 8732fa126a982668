"""A draw is shown and factored; only the second may refuse it."""

import jax
import numpy as np


def factor(key, size):
    try:
        matrix = jax.random.normal(key, (size, size))  # first
        print(matrix.shape)
        return np.linalg.cholesky(matrix)
    except Exception:
        return np.diag(jax.random.uniform(key, (size,)))  # error: OLY104 likely


def main():
    assert factor(jax.random.key(0), 3).shape == (3, 3)
