"""Keys that are stacked for a map and used once more by themselves."""

import jax
import jax.numpy as jnp


def two_heads(key):
    policy_key, value_key = jax.random.split(key)
    heads = jax.vmap(lambda k: jax.random.normal(k, (2,)))(jnp.stack([policy_key, value_key]))  # first
    return heads + jax.random.normal(value_key, (2,))  # error: OLY104 certain


def example():
    return two_heads(jax.random.key(0))
