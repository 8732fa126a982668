"""A random matrix is factored; a diagonal one replaces one that has no factor."""

import jax
import numpy as np


def factor(key, size):
    try:
        matrix = jax.random.normal(key, (size, size))  # first
        return np.linalg.cholesky(matrix)
    except ValueError:
        return np.diag(jax.random.normal(key, (size,)))  # error: OLY104 likely


def main():
    diagonal = np.diag(factor(jax.random.key(0), 3))
    assert np.isin(diagonal, jax.random.normal(jax.random.key(0), (3, 3))).any()
