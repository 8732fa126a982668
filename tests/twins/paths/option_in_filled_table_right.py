"""A table that a function fills: the given option may be in it."""

from jax import random

NOISY = {"sde": 5}


def register(name, order):
    NOISY[name] = order


def path(key, model):
    return random.normal(key) if model in NOISY else 0.0


def example():
    register("jump", 6)
    first, second = random.split(random.key(0))
    return path(first, "jump"), path(second, "jump")
