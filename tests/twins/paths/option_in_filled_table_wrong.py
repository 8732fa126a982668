"""A table that a function fills: the given option may be in it."""

from jax import random

NOISY = {"sde": 5}


def register(name, order):
    NOISY[name] = order


def path(key, model):
    return random.normal(key) if model in NOISY else 0.0


def example():
    register("jump", 6)
    key = random.key(0)
    drawn = path(key, "jump")  # first
    return drawn, path(key, "jump")  # error: OLY104 certain
