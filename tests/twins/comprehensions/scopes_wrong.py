"""A comprehension has names of its own: `key` inside is not `key` outside."""

import jax


def members(key, n):
    key, spare_key = jax.random.split(key)
    draws = [jax.random.normal(key) for key in jax.random.split(spare_key, n)]  # first
    again = [jax.random.uniform(key) for key in jax.random.split(spare_key, n)]  # error: OLY104 certain
    return draws, again


def example():
    return members(jax.random.key(0), 2)
