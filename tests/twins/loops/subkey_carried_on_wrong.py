"""A stale pair: the loop splits the key and goes on with the parent."""

import jax
import jax.numpy as jnp


def random_walk(key, steps):
    position = jnp.zeros(2)
    for _ in range(steps):
        _, subkey = jax.random.split(key)  # error: OLY104 certain
        position = position + jax.random.normal(subkey, (2,))
    return position


def example():
    return random_walk(jax.random.PRNGKey(0), 3)
