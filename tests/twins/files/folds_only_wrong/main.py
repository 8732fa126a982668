"""Streams of keys: folding a name in leaves the key as it was, splitting does not."""

import jax

from . import keys


def streams(seed):
    key = jax.random.key(seed)
    params = jax.random.normal(keys.named(key, "params"), (2,))
    data = jax.random.normal(keys.named(key, "data"), (2,))
    first = jax.random.normal(keys.spend(key), (2,))  # first
    second = jax.random.normal(keys.spend(key), (2,))  # error: OLY104 certain
    return params, data, first, second


def example():
    return streams(0)
