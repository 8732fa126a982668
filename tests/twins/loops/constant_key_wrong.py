"""Noise for every layer from one key."""

import jax


def init_layers(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
        params.append(jax.random.normal(key, (n_in, n_out)))  # error: OLY104 certain
    return params


def example():
    return init_layers(jax.random.key(0), [4, 4, 2])
