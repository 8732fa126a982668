"""A model of two layers."""

import jax

from .layers import dense, zeros


def init(seed):
    key = jax.random.key(seed)
    start = zeros(key, 2, 3)
    hidden = dense(key, 2, 3)  # first
    key, out_key = jax.random.split(key)  # error: OLY104 certain
    return (start + hidden) @ dense(out_key, 3, 1)


def example():
    return init(0)
