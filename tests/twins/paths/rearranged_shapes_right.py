"""The shape that is written down is not the one that the function gets: the array is rearranged, mapped or grown."""

import jax
import jax.numpy as jnp
from jax import random


def filled(data, key):
    if data.shape[0] > 1:
        return data + random.normal(key)
    return data


def reshaped(key):
    key, subkey = random.split(key)
    one = random.normal(subkey)
    return one + filled(jnp.zeros((1, 3)).reshape(3, 1), key).sum()


def transposed(key):
    key, subkey = random.split(key)
    one = random.normal(subkey)
    return one + filled(jnp.zeros((1, 3)).T, key).sum()


def mapped(key):
    key, subkey = random.split(key)
    one = random.normal(subkey)
    return one + jax.vmap(lambda row: filled(row, key))(jnp.zeros((1, 3))).sum()


def grown(key):
    key, subkey = random.split(key)
    one = random.normal(subkey)
    data = jnp.zeros((1, 3))
    for _ in range(2):
        data = jnp.concatenate([data, data])
    return one + filled(data, key).sum()


def example():
    a, b, c, d = random.split(random.key(0), 4)
    return reshaped(a) + transposed(b) + mapped(c) + grown(d)
