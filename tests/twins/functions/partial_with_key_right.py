"""A partial that has its key bound."""

from functools import partial

import jax
import jax.numpy as jnp


def masked(rate, key, x):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x, 0.0)


def network(key, x):
    drop = partial(masked, 0.1)
    k1, k2 = jax.random.split(key)
    x = drop(k1, jnp.tanh(x))
    return drop(k2, jnp.tanh(x))


def example():
    return network(jax.random.key(1), jnp.ones(5))
