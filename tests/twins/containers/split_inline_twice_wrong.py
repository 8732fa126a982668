"""The first child of a split that is written down twice."""

import jax


def loss_and_metric(key, x):
    train = x + jax.random.normal(jax.random.split(key)[0], x.shape)  # first
    test = x + jax.random.normal(jax.random.split(key)[0], x.shape)  # error: OLY104 certain
    return train, test


def unpacked(key, x):
    first, _ = jax.random.split(key)  # first
    _, second = jax.random.split(key)  # error: OLY104 certain
    return x + jax.random.normal(first, x.shape), x + jax.random.normal(second, x.shape), jax.random.normal(_)


def example():
    x = jax.numpy.ones(2)
    return loss_and_metric(jax.random.key(0), x), unpacked(jax.random.key(1), x)
