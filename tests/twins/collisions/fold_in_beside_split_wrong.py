"""A split key is folded once more: child 1 of a split and `fold_in(key, 1)` are one key."""

import jax


def init(key, width):
    w_key, b_key = jax.random.split(key)  # first
    w = jax.random.normal(w_key, (width, width))
    b = jax.random.normal(b_key, (width,))
    gain = jax.random.normal(jax.random.fold_in(key, 1), (width,))  # error: OLY108 certain
    return gain * (w @ b)


def example():
    return init(jax.random.key(0), 3)
