"""A dictionary of keys by purpose."""

import jax
import jax.numpy as jnp


def forward(params, x, rngs):
    keep = jax.random.bernoulli(rngs["dropout"], 0.9, x.shape)  # first
    x = jnp.where(keep, x, 0.0) @ params
    return x + jax.random.normal(rngs["dropout"], x.shape)  # error: OLY104 likely


def evaluate(params, x, seed):
    dropout_key, noise_key = jax.random.split(jax.random.key(seed))
    return forward(params, x, {"dropout": dropout_key, "noise": noise_key})


def example():
    return evaluate(jnp.eye(2), jnp.ones((3, 2)), 0)
