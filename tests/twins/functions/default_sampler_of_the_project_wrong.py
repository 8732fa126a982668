"""A parameter is a sampler by default."""

import jax


def normal(key, shape):
    return jax.random.normal(key, shape)


def pair(key, shape, sampler=normal):
    first = sampler(key, shape)  # first
    return first, sampler(key, shape)  # error: OLY104 certain


def example():
    return pair(jax.random.key(0), (2,))
