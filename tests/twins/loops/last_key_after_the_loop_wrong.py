"""The loop's last child is used after the loop."""

import jax


def walk(key, n):
    x = 0.0
    for step_key in jax.random.split(key, n):
        x = x + jax.random.normal(step_key)  # first
    return x + jax.random.uniform(step_key)  # error: OLY104 certain


def example():
    return walk(jax.random.key(0), 3)
