"""Python's own `map` over keys, twice."""

import jax


def ensemble(key, n):
    keys, scale_keys = jax.random.split(key, (2, n))
    means = list(map(jax.random.normal, keys))
    scales = list(map(jax.random.exponential, scale_keys))
    return means, scales


def example():
    return ensemble(jax.random.key(0), 2)
