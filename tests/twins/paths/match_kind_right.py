"""Initialisers by name."""

import jax
import jax.numpy as jnp


def initialise(key, kind, shape):
    match kind:
        case "zeros":
            base = jnp.zeros(shape)
        case "normal":
            base = jax.random.normal(key, shape)
        case "uniform":
            base_key, jitter_key = jax.random.split(key)
            base = jax.random.uniform(base_key, shape, minval=-1.0)
            base = base + 0.01 * jax.random.normal(jitter_key, shape)
        case _:
            raise ValueError(kind)
    return base


def example():
    return [initialise(jax.random.key(i), kind, (2, 2)) for i, kind in enumerate(["zeros", "normal", "uniform"])]
