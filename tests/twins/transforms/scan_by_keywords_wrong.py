"""All arguments of ``scan`` are given by name; its body draws from a key that it captures."""

import jax
import jax.numpy as jnp


def noise(key, steps):
    def step(total, x):
        return total + x * jax.random.normal(key), total  # error: OLY104 certain

    return jax.lax.scan(f=step, init=0.0, xs=jnp.arange(4.0))


def example():
    return noise(jax.random.key(0), 4)
