"""A conditional expression takes one arm, and what follows runs after both."""

import jax
import jax.numpy as jnp


def mixture(key, heavy, shape):
    noise = jax.random.cauchy(key, shape) if heavy else jax.random.normal(key, shape)  # first
    sign = jax.random.rademacher(key, shape)  # error: OLY104 certain
    return jnp.abs(noise) * sign


def example():
    return mixture(jax.random.key(0), True, (3,))
