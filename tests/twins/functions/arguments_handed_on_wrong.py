"""A function that hands all of its arguments on."""

from jax import random


def noise(*args, **kwargs):
    return random.normal(*args, **kwargs)


def example():
    key = random.key(0)
    first = noise(key, (2,))  # first
    return first + noise(key, (2,))  # error: OLY104 certain
