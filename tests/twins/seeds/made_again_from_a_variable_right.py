"""The noise has a key of its own."""

import jax


def weights(width, seed):
    return jax.random.normal(jax.random.key(seed), (width,))


def noise(width, seed):
    key = jax.random.fold_in(jax.random.key(seed), 1)
    return jax.random.normal(key, (width,))


def data(width, seed):
    w = weights(width, seed)
    return w + noise(width, seed)


def main():
    assert not jax.numpy.array_equal(data(3, 5), 2 * weights(3, 5))
