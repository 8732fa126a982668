"""A seed that may be left out, and is a number either way."""

import jax


def weights(width, seed=None):
    if seed is None:
        seed = 0
    return jax.random.normal(jax.random.key(int(seed)), (width,))  # first


def data(width, seed=None):
    w = weights(width, seed)  # first
    key = jax.random.key(0 if seed is None else seed)  # first
    return w, jax.random.normal(key, (width,))  # error: OLY104 likely


def main():
    for seed in (None, 3):
        w, noise = data(4, seed)
        assert jax.numpy.array_equal(w, noise)
