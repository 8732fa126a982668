"""A function that hands its keywords on."""

from jax import random


def draw(key, shape):
    return random.normal(key, shape)


def noise(scale, **options):
    return scale * draw(**options)


def example():
    key = random.key(0)
    first = noise(2.0, key=key, shape=(2,))  # first
    return first + noise(1.0, key=key, shape=(2,))  # error: OLY104 certain
