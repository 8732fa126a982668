"""Weights and bias of a dense layer."""

import jax
import jax.numpy as jnp


def init_dense(key, n_in, n_out):
    scale = jnp.sqrt(2.0 / n_in)
    weights = scale * jax.random.normal(key, (n_in, n_out))  # first
    bias = 0.01 * jax.random.normal(key, (n_out,))  # error: OLY104 certain
    return {"w": weights, "b": bias}


def apply_dense(params, x):
    return jnp.tanh(x @ params["w"] + params["b"])


def example():
    params = init_dense(jax.random.key(0), 4, 3)
    return apply_dense(params, jnp.ones((2, 4)))
