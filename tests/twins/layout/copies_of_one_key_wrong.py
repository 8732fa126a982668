"""One key for all lanes, copied with the buffer spelled out."""

import jax
import jax.numpy as jnp


def everywhere(key, lanes):
    keys = jnp.tile(key, (lanes, 1))  # error: OLY202 likely
    return keys, jax.random.normal(key)


def example():
    return everywhere(jax.random.PRNGKey(0), 3)
