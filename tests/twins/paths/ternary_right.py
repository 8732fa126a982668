"""A conditional expression takes one arm, and what follows runs after both."""

import jax
import jax.numpy as jnp


def mixture(key, heavy, shape):
    key, sign_key = jax.random.split(key)
    noise = jax.random.cauchy(key, shape) if heavy else jax.random.normal(key, shape)
    sign = jax.random.rademacher(sign_key, shape)
    return jnp.abs(noise) * sign


def example():
    return mixture(jax.random.key(0), True, (3,))
