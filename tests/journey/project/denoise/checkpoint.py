"""The state of a training in a file."""

import jax.numpy as jnp
import numpy as np


def save(path, key, params):
    """Write the key and the weights."""
    words = np.asarray(key)
    arrays = {f"{name}{i}": value for i, layer in enumerate(params) for name, value in layer.items()}
    np.savez(path, key=words, **arrays)


def load_key(path):
    """Return the key of a training."""
    with np.load(path) as stored:
        return jnp.asarray(stored["key"], dtype=jnp.uint32)
