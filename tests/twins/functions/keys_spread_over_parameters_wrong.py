"""Split keys that are spread over the parameters of a function."""

from jax import random


def noise(one, two):
    return random.normal(one) + random.uniform(two)


def example():
    keys = random.split(random.key(0), 3)
    first = noise(*keys[:2])  # first
    return first + random.normal(keys[0])  # error: OLY104 certain
