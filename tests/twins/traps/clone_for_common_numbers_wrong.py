"""Common random numbers for two policies: `clone` says that the equality is meant."""

import jax
import jax.numpy as jnp


def rollout(key, gain):
    noise = jax.random.normal(key, (4,))
    return jnp.sum(gain * noise)


def compare(key, a, b):
    first = rollout(key, a)  # first
    return first - rollout(key, b)  # error: OLY104 certain


def example():
    return compare(jax.random.key(0), 1.0, 2.0)
