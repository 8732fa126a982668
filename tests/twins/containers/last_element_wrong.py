"""The last element by two names: with a split into three, index 2 and index -1 are one key."""

import jax


def three_layers(key):
    keys = jax.random.split(key, 3)
    first = jax.random.normal(keys[0], (2, 2))
    second = jax.random.normal(keys[2], (2, 2))  # first
    third = jax.random.normal(keys[-1], (2, 2))  # error: OLY104 certain
    return first @ second @ third


def example():
    return three_layers(jax.random.PRNGKey(0))
