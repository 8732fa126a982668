"""A split into two and a split into more begin with the same children."""

import jax


def init(key, width):
    head_key, embed_key = jax.random.split(key)  # first
    layer_keys = jax.random.split(key, 4)  # error: OLY108 certain
    head = jax.random.normal(head_key, (width,))
    embed = jax.random.normal(embed_key, (width,))
    return head, embed, jax.vmap(lambda k: jax.random.normal(k, (width,)))(layer_keys)


def example():
    return init(jax.random.key(0), 2)
