"""A layer that a parameter is annotated with draws a mask for each head, or none."""

import equinox as eqx
import jax
import jax.numpy as jnp


def attention(query, value, dropout: eqx.nn.Dropout | None = None, *, key=None):
    weights = jax.nn.softmax(query @ value.T)
    if dropout is not None:
        weights = dropout(weights, key=key)
    return weights @ value


def heads(queries, value, dropout: eqx.nn.Dropout | None, key):
    keys = jax.random.split(key, len(queries))
    return jax.vmap(lambda query, key: attention(query, value, dropout, key=key))(queries, keys)


def twice(x, dropout: eqx.nn.Dropout, key):
    kept = dropout(x, key=key, inference=True)
    return kept, dropout(x, key=key)


def main():
    queries, value = jnp.ones((2, 3, 4)), jnp.arange(20.0).reshape(5, 4)
    drawn = heads(queries, value, eqx.nn.Dropout(0.5), jax.random.key(0))
    assert not (drawn[0] == drawn[1]).all()
    one, two = twice(jnp.ones(50), eqx.nn.Dropout(0.5), jax.random.key(0))
    assert not (one == two).all()
