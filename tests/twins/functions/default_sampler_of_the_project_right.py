"""A parameter is a sampler by default."""

import jax


def normal(key, shape):
    return jax.random.normal(key, shape)


def pair(key, shape, sampler=normal):
    one, two = jax.random.split(key)
    return sampler(one, shape), sampler(two, shape)


def example():
    return pair(jax.random.key(0), (2,))
