"""A key that may be missing: the default is made where none is given."""

import jax
import jax.numpy as jnp


def dropout(x, rate, key=None, inference=False):
    if inference or key is None:
        return x
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), 0)


def block(x, key=None):
    x = dropout(jnp.tanh(x), 0.1, key=key)  # first
    return dropout(jnp.sin(x), 0.1, key=key)  # error: OLY104 certain


def example():
    return block(jnp.ones(4), jax.random.key(0)), block(jnp.ones(4))
