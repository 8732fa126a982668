"""Functions under `jit` with static arguments, called twice."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("shape", "kind"))
def noise(key, shape, kind="normal"):
    return jax.random.laplace(key, shape) if kind == "laplace" else jax.random.normal(key, shape)


def blocks(key):
    a = noise(key, (2, 2))  # first
    b = noise(key, (2, 2), kind="laplace")  # error: OLY104 certain
    return jnp.concatenate([a, b])


def example():
    return blocks(jax.random.key(0))
