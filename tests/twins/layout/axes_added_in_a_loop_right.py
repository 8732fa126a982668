"""Each turn of a loop adds an axis to an array of keys; only without a turn would there be one key."""

import jax


def expand(key, shape):
    for size in reversed(shape):
        split = jax.vmap(jax.random.split, in_axes=(0, None))(key.reshape(-1), size)
        key = split.reshape((*key.shape, size))
    return key


def example(n=3):
    keys = expand(jax.random.key(0), (1, n))
    return jax.vmap(jax.random.normal)(keys[:, 0])
