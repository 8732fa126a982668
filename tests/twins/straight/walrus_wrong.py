"""A key that is bound inside an expression."""

import jax


def jittered(seed, shape):
    base = jax.random.uniform(key := jax.random.key(seed), shape)  # first
    return base + 0.1 * jax.random.normal(key, shape)  # error: OLY104 certain


def example():
    return jittered(4, (3,))
