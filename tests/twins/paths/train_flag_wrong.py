"""Dropout in training, noise in evaluation: one of the two runs, until a third draw comes."""

import jax
import jax.numpy as jnp


def perturb(x, key, train):
    if train:
        keep = jax.random.bernoulli(key, 0.8, x.shape)  # first
        x = jnp.where(keep, x / 0.8, 0.0)
    x = x + 1e-3 * jax.random.normal(key, x.shape)  # error: OLY104 certain
    return x


def example():
    return perturb(jnp.ones(3), jax.random.key(0), True) + perturb(jnp.ones(3), jax.random.key(1), False)
