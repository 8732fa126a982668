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
    data = random.normal(one, (50, 2))
    a = embedded(data, 2, one)
    noise = random.normal(two)
    b = filled(jnp.zeros((1, 3)), two)
    other = random.uniform(three)
    c = filled(jnp.ones([1, 4]), three)
    return a.sum() + b.sum() + c.sum() + noise + other
