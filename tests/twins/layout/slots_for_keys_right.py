"""A buffer with a slot for the key of each request, of the kind of the keys; beside it one of pairs."""

import jax
import jax.numpy as jnp


def admit(key, slots):
    held = jnp.zeros((slots, *key.shape), key.dtype)
    spans = jnp.zeros((slots, 2), jnp.uint32)
    key, subkey = jax.random.split(key)
    return key, held.at[0].set(subkey), spans.at[0].set(jnp.array([0, 7], jnp.uint32))


def example():
    return admit(jax.random.PRNGKey(0), 3)
