"""Layers by index: a slip of the pen in the index."""

import jax


def init_blocks(key, depth, width):
    keys = jax.random.split(key, 2 * depth)
    blocks = []
    for i in range(depth):
        attention = jax.random.normal(keys[2 * i], (width, width))  # first
        hidden = jax.random.normal(keys[2 * i], (width, width))  # error: OLY104 certain
        blocks.append((attention, hidden))
    return blocks


def example():
    return init_blocks(jax.random.PRNGKey(1), 2, 3)
