"""Langevin dynamics under `scan`: the key comes from outside of the step."""

import jax
import jax.numpy as jnp


def langevin(key, gradient, start, step_size, n):
    def step(position, _):
        noise = jax.random.normal(key, position.shape)  # error: OLY104 certain
        position = position - step_size * gradient(position) + jnp.sqrt(2 * step_size) * noise
        return position, position

    return jax.lax.scan(step, start, None, length=n)


def example():
    return langevin(jax.random.key(0), lambda x: 2 * x, jnp.ones(2), 0.1, 4)
