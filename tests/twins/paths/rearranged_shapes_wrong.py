"""The shape that is written down is not the one that the function gets: the array is rearranged, mapped or grown."""

import jax
import jax.numpy as jnp
from jax import random


def filled(data, key):
    if data.shape[0] > 1:
        return data + random.normal(key)
    return data


def reshaped(key):
    one = random.normal(key)  # first
    return one + filled(jnp.zeros((1, 3)).reshape(3, 1), key).sum()  # error: OLY104 certain


def transposed(key):
    one = random.normal(key)  # first
    return one + filled(jnp.zeros((1, 3)).T, key).sum()  # error: OLY104 certain


def mapped(key):
    one = random.normal(key)  # first
    return one + jax.vmap(lambda row: filled(row, key))(jnp.zeros((1, 3))).sum()  # error: OLY104 certain


def grown(key):
    one = random.normal(key)  # first
    data = jnp.zeros((1, 3))
    for _ in range(2):
        data = jnp.concatenate([data, data])
    return one + filled(data, key).sum()  # error: OLY104 certain


def example():
    a, b, c, d = random.split(random.key(0), 4)
    return reshaped(a) + transposed(b) + mapped(c) + grown(d)
