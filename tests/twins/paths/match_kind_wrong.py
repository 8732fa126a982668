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
            base = jax.random.uniform(key, shape, minval=-1.0)  # first
            base = base + 0.01 * jax.random.normal(key, shape)  # error: OLY104 certain
        case _:
            raise ValueError(kind)
    return base


def example():
    return [initialise(jax.random.key(i), kind, (2, 2)) for i, kind in enumerate(["zeros", "normal", "uniform"])]
