"""Each child of a split that is written down twice is taken once."""

import jax


def loss_and_metric(key, x):
    train = x + jax.random.normal(jax.random.split(key)[0], x.shape)
    test = x + jax.random.normal(jax.random.split(key)[1], x.shape)
    return train, test


def unpacked(key, x):
    first, _ = jax.random.split(key)
    _, second = jax.random.split(key)
    return x + jax.random.normal(first, x.shape), x + jax.random.normal(second, x.shape)


def example():
    x = jax.numpy.ones(2)
    return loss_and_metric(jax.random.key(0), x), unpacked(jax.random.key(1), x)
