"""A branch on the shape of an array decides whether the key is used, and the shape is written at the call."""

import jax.numpy as jnp
from jax import random


def embedded(data, size, key):
    count, dimensions = data.shape
    if count < dimensions or size > dimensions:
        return random.normal(key, (count, size))
    return data[:, :size]


def filled(data, key):
    if data.shape[0] > 1 or data.ndim == 3:
        return data + random.normal(key, data.shape)
    return data


def example():
    one, two, three = random.split(random.key(0), 3)
    data = random.normal(one, (50, 2))  # first
    a = embedded(data, 3, one)  # error: OLY104 certain
    noise = random.normal(two)  # first
    b = filled(jnp.zeros((2, 3)), two)  # error: OLY104 certain
    other = random.uniform(three)  # first
    c = filled(jnp.ones([1, 4, 1]), three)  # error: OLY104 certain
    return a.sum() + b.sum() + c.sum() + noise + other
