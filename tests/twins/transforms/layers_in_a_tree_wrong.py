"""One initialiser for each weight: each leaf is one of its own kind, and all draw from one key."""

import jax
import jax.numpy as jnp


def start(initialisers, weights, seed):
    key = jax.random.key(seed)
    return jax.tree.map(lambda init, x: init(key, x.shape), initialisers, weights)  # error: OLY104 likely


def example():
    initialisers = {"first": jax.nn.initializers.normal(), "last": jax.nn.initializers.uniform()}
    return start(initialisers, {"first": jnp.ones((2, 2)), "last": jnp.ones((3, 3))}, 0)
