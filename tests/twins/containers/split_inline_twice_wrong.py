"""The first child of a split that is written down twice."""

import jax


def loss_and_metric(key, x):
    train = x + jax.random.normal(jax.random.split(key)[0], x.shape)  # first
    test = x + jax.random.normal(jax.random.split(key)[0], x.shape)  # error: OLY104 certain
    return train, test


def example():
    return loss_and_metric(jax.random.key(0), jax.numpy.ones(2))
