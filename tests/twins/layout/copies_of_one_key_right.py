"""One key for all lanes, copied with the shape of a key."""

import jax
import jax.numpy as jnp


def everywhere(key, lanes):
    keys = jnp.broadcast_to(key, (lanes, *key.shape))
    return keys, jax.random.normal(key)


def example():
    return everywhere(jax.random.PRNGKey(0), 3)
