"""A model of two layers."""

import jax

from .layers import dense, zeros


def init(seed):
    key = jax.random.key(seed)
    start = zeros(key, 2, 3)
    key, hidden_key, out_key = jax.random.split(key, 3)
    hidden = dense(hidden_key, 2, 3)
    return (start + hidden) @ dense(out_key, 3, 1)


def example():
    return init(0)
