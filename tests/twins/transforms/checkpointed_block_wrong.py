"""A block under `checkpoint` gets the key of the block before."""

import jax
import jax.numpy as jnp


def block(w, x, key):
    x = jnp.tanh(x @ w)
    return x * jax.random.bernoulli(key, 0.9, x.shape)


def forward(w, x, key):
    first_key, second_key = jax.random.split(key)
    x = jax.checkpoint(block)(w, x, first_key)  # first
    return jax.checkpoint(block)(w, x, first_key)  # error: OLY104 certain


def example():
    return forward(jnp.eye(2), jnp.ones((3, 2)), jax.random.key(0))
