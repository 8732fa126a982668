"""A seed that may be left out, and is a number either way; the noise has a seed of its own."""

import jax


def weights(width, seed=None):
    if seed is None:
        seed = 0
    return jax.random.normal(jax.random.key(int(seed)), (width,))


def data(width, seed=None):
    w = weights(width, seed)
    key = jax.random.key(1 if seed is None else seed + 1)
    return w, jax.random.normal(key, (width,))


def main():
    for seed in (None, 3):
        w, noise = data(4, seed)
        assert not jax.numpy.array_equal(w, noise)
