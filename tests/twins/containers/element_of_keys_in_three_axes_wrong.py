"""Two ways to an element of rearranged keys."""

from jax import random


def example():
    keys = random.split(random.key(0), 8).reshape(2, 2, 2)
    first = random.normal(keys[0, 1, 0])  # first
    return first + random.normal(keys[0][1][0])  # error: OLY104 certain
