"""Keys that are collected in a list and used later."""

import jax


def schedule(key, n):
    keys = []
    for _ in range(n):
        key, subkey = jax.random.split(key)
        keys.append(subkey)
    draws = [jax.random.normal(k) for k in keys]  # first
    return draws, [jax.random.uniform(k) for k in keys]  # error: OLY104 certain


def example():
    return schedule(jax.random.key(0), 2)
