"""Trees that grow leaves of another module, which imports this one."""

import jax

from . import leaf


def grow(key, depth):
    left_key, right_key = jax.random.split(key)
    if depth == 0:
        return leaf.value(left_key)
    return grow(left_key, depth - 1) + grow(right_key, depth - 1)
