"""A layer that a parameter is annotated with draws one mask for all heads: the key is bound and not mapped over."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp


def attention(query, value, dropout: eqx.nn.Dropout | None = None, *, key=None):
    weights = jax.nn.softmax(query @ value.T)
    if dropout is not None:
        weights = dropout(weights, key=key)  # first
    return weights @ value


def heads(queries, value, dropout: eqx.nn.Dropout | None, key):
    one = partial(attention, dropout=dropout, key=key)
    return jax.vmap(lambda query: one(query, value))(queries)  # error: OLY105 likely


def twice(x, dropout: eqx.nn.Dropout, key):
    kept = dropout(x, key=key)  # first
    return kept, dropout(x, key=key)  # error: OLY104 likely


def main():
    queries, value = jnp.ones((2, 3, 4)), jnp.arange(20.0).reshape(5, 4)
    drawn = heads(queries, value, eqx.nn.Dropout(0.5), jax.random.key(0))
    assert (drawn[0] == drawn[1]).all()
    one, two = twice(jnp.ones(50), eqx.nn.Dropout(0.5), jax.random.key(0))
    assert (one == two).all()
