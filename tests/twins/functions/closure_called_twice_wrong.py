"""A closure over a key, called twice."""

import jax
import jax.numpy as jnp


def make_noise(key, shape):
    def noise(scale):
        return scale * jax.random.normal(key, shape)

    return noise


def corrupt(key, x):
    noise = make_noise(key, x.shape)
    low = x + noise(0.1)  # first
    high = x + noise(1.0)  # error: OLY104 certain
    return jnp.stack([low, high])


def example():
    return corrupt(jax.random.key(0), jnp.ones(3))
