"""A key told from an array by the dtype of raw keys."""

import jax
import jax.numpy as jnp


def noise(seed):
    source = jax.random.PRNGKey(seed)
    if source.dtype == jnp.uint32:  # error: OLY203 certain
        return jax.random.normal(source)
    return jnp.zeros(())


def example():
    return noise(0)
