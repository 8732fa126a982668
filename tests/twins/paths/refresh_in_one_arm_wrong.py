"""The key is refreshed in one arm only."""

import jax
import jax.numpy as jnp


def noisy_schedule(key, steps, warmup):
    noise = jnp.zeros(steps)
    if warmup > 0:
        key, warm_key = jax.random.split(key)
        noise = noise.at[:warmup].add(jax.random.normal(warm_key, (warmup,)))
    else:
        noise = jax.random.normal(key, (steps,))  # first
    return noise * jax.random.uniform(key)  # error: OLY104 certain


def example():
    return noisy_schedule(jax.random.key(9), 5, 2)
