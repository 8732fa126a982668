"""Elements and slices of a key array overlap."""

import jax
import jax.numpy as jnp


def init_transformer(key, depth, width):
    keys = jax.random.split(key, depth + 2)
    embedding = jax.random.normal(keys[0], (10, width))  # first
    layers = jax.vmap(lambda k: jax.random.normal(k, (width, width)))(keys[:-1])  # error: OLY104 certain
    head = jax.random.normal(keys[-1], (width, 10))
    return embedding, layers, head


def example():
    return jax.tree.map(jnp.sum, init_transformer(jax.random.key(0), 3, 2))
