"""Shuffle inputs and labels alike: said with one index, not with one key given twice."""

import jax
import jax.numpy as jnp


def minibatch(key, inputs, labels, size):
    rows = jax.random.choice(key, inputs.shape[0], (size,), replace=False)
    x, y = inputs[rows], labels[rows]
    return x, y


def example():
    return minibatch(jax.random.key(0), jnp.ones((10, 3)), jnp.arange(10), 4)
