"""A list of keys that is used up from its end."""

import jax


def build(key):
    keys = list(jax.random.split(key, 4))
    first = jax.random.normal(keys[-1], (2,))  # first
    second = jax.random.uniform(keys.pop(), (2,))  # error: OLY104 certain
    return first + second


def example():
    return build(jax.random.key(0))
