"""A raw key told by its dtype."""

import jax
import jax.numpy as jnp


def as_typed(seed):
    key = jax.random.PRNGKey(seed)
    if key.dtype == jnp.uint32:  # error: OLY203 certain
        key = jax.random.wrap_key_data(key)
    return jax.random.normal(key)


def example():
    return as_typed(0)
