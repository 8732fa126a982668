"""Shuffle inputs and labels alike: said with one index, not with one key given twice."""

import jax
import jax.numpy as jnp


def minibatch(key, inputs, labels, size):
    x = jax.random.choice(key, inputs, (size,), replace=False)  # first
    y = jax.random.choice(key, labels, (size,), replace=False)  # error: OLY104 certain
    return x, y


def example():
    return minibatch(jax.random.key(0), jnp.ones((10, 3)), jnp.arange(10), 4)
