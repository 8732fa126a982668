"""A function that hands all of its arguments on."""

from jax import random


def noise(*args, **kwargs):
    return random.normal(*args, **kwargs)


def example():
    key = random.key(0)
    key, subkey = random.split(key)
    first = noise(subkey, (2,))
    return first + noise(key, (2,))
