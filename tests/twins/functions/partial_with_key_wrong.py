"""A partial that has its key bound."""

from functools import partial

import jax
import jax.numpy as jnp


def masked(rate, key, x):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x, 0.0)


def network(key, x):
    drop = partial(masked, 0.1, key)
    x = drop(jnp.tanh(x))  # first
    return drop(jnp.tanh(x))  # error: OLY104 certain


def example():
    return network(jax.random.key(1), jnp.ones(5))
