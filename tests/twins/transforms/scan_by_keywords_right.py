"""All arguments of ``scan`` are given by name; its body draws from a key that it captures."""

import jax
import jax.numpy as jnp


def noise(key, steps):
    def step(total, x):
        return total + x[0] * jax.random.normal(x[1]), total

    keys = jax.random.split(key, 4)
    return jax.lax.scan(f=step, init=0.0, xs=(jnp.arange(4.0), keys))


def example():
    return noise(jax.random.key(0), 4)
