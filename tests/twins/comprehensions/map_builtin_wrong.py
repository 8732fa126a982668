"""Python's own `map` over keys, twice."""

import jax


def ensemble(key, n):
    keys = jax.random.split(key, n)
    means = list(map(jax.random.normal, keys))  # first
    scales = list(map(jax.random.exponential, keys))  # error: OLY104 certain
    return means, scales


def example():
    return ensemble(jax.random.key(0), 2)
