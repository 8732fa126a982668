"""Functions under `jit` with static arguments, called twice."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("shape", "kind"))
def noise(key, shape, kind="normal"):
    return jax.random.laplace(key, shape) if kind == "laplace" else jax.random.normal(key, shape)


def blocks(key):
    a = noise(jax.random.fold_in(key, 0), (2, 2))
    b = noise(jax.random.fold_in(key, 1), (2, 2), kind="laplace")
    return jnp.concatenate([a, b])


def example():
    return blocks(jax.random.key(0))
