"""Modes by their names: two of them in two statements."""

import jax
import jax.numpy as jnp


def corrupt(key, x, mode):
    if mode == "noise":
        x = x + jax.random.normal(key, x.shape)  # first
    elif mode == "mask":
        x = x * jax.random.bernoulli(key, 0.5, x.shape)
    x = jnp.clip(x, -2.0, 2.0)
    if mode in ("noise", "shuffle"):
        x = jax.random.permutation(key, x)  # error: OLY104 certain
    return x


def example():
    return [corrupt(jax.random.key(i), jnp.ones(3), mode) for i, mode in enumerate(["noise", "mask", "shuffle"])]
