"""A draw is shown, which refuses no value; so an exception comes from the draw itself."""

import jax
import numpy as np


def matrix(key, size):
    try:
        found = jax.random.normal(key, (size, size))
        print(found.shape)
        return found
    except Exception:
        return np.diag(jax.random.uniform(key, (size,)))


def main():
    assert matrix(jax.random.key(0), 3).shape == (3, 3)
