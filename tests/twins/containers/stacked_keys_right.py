"""Keys that are stacked for a map and used once more by themselves."""

import jax
import jax.numpy as jnp


def two_heads(key):
    policy_key, value_key = jax.random.split(key)
    value_key, offset_key = jax.random.split(value_key)
    heads = jax.vmap(lambda k: jax.random.normal(k, (2,)))(jnp.stack([policy_key, value_key]))
    return heads + jax.random.normal(offset_key, (2,))


def example():
    return two_heads(jax.random.key(0))
