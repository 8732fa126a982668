"""A key that a wrapper hands on by its name, to a function that takes it by name only."""

from jax import random


def draw(mean, *, key):
    return mean + random.normal(key)


def call(function, *args, **kwargs):
    return function(*args, **kwargs)


def example():
    key = random.key(0)
    first = call(draw, 1.0, key=key)  # first
    return first + call(draw, 2.0, key=key)  # error: OLY104 certain
