"""A buffer with a slot for the key of each request, as words."""

import jax
import jax.numpy as jnp


def admit(key, slots):
    held = jnp.zeros((slots, 2), jnp.uint32)  # error: OLY207 certain
    key, subkey = jax.random.split(key)
    return key, held.at[0].set(subkey)


def example():
    return admit(jax.random.PRNGKey(0), 3)
