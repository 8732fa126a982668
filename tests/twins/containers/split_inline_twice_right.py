"""Each child of a split that is written down twice is taken once."""

import jax


def loss_and_metric(key, x):
    train = x + jax.random.normal(jax.random.split(key)[0], x.shape)
    test = x + jax.random.normal(jax.random.split(key)[1], x.shape)
    return train, test


def example():
    return loss_and_metric(jax.random.key(0), jax.numpy.ones(2))
