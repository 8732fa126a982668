"""Abstract evaluation gives shapes and draws no numbers."""

import jax
import jax.numpy as jnp


def init(key, x):
    w_key, b_key = jax.random.split(key)
    return {"w": jax.random.normal(w_key, (x.shape[-1], 2)), "b": jax.random.normal(b_key, (2,))}


def create_state(key, x):
    shapes = jax.eval_shape(init, key, x)
    size = sum(leaf.size for leaf in jax.tree.leaves(shapes))
    params = init(key, x)  # first
    return params, size + 0.1 * jax.random.normal(key, (2,))  # error: OLY104 certain


def example():
    return create_state(jax.random.key(0), jnp.ones((1, 3)))
