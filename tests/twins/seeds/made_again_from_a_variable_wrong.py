"""Each of two functions makes a key of the seed that both are given."""

import jax


def weights(width, seed):
    return jax.random.normal(jax.random.key(seed), (width,))  # first


def noise(width, seed):
    key = jax.random.key(seed)  # first
    return jax.random.normal(key, (width,))


def data(width, seed):
    w = weights(width, seed)  # first
    return w + noise(width, seed)  # error: OLY104 likely


def main():
    assert jax.numpy.array_equal(data(3, 5), 2 * weights(3, 5))
