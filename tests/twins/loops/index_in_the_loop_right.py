"""Layers by index: a slip of the pen in the index."""

import jax


def init_blocks(key, depth, width):
    keys = jax.random.split(key, 2 * depth)
    blocks = []
    for i in range(depth):
        attention = jax.random.normal(keys[2 * i], (width, width))
        hidden = jax.random.normal(keys[2 * i + 1], (width, width))
        blocks.append((attention, hidden))
    return blocks


def example():
    return init_blocks(jax.random.PRNGKey(1), 2, 3)
