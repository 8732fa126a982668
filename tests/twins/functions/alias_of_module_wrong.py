"""Samplers under local names."""

import jax
from jax import random as jr

normal, split = jr.normal, jr.split


def prior_samples(key, n):
    theta = normal(key, (n, 2))  # first
    left, right = split(key)  # error: OLY104 certain
    return theta + normal(left, (n, 2)) * normal(right, (n, 2))


def example():
    return prior_samples(jax.random.key(0), 3)
