"""A key is taken from a row of keys, and again from their rearrangement."""

from jax import random


def example():
    keys = random.split(random.key(0), 4)
    grid = keys.reshape(2, 2)
    first = random.normal(keys[1])  # first
    return first + random.normal(grid[0, 1])  # error: OLY104 certain
