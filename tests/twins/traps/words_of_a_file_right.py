"""Words that are read from a file are made an array of integers: what is read is no key yet."""

import tomllib

import jax.numpy as jnp
from jax import random

SAVED = "key = [0, 7]"


class Flow:
    def __init__(self, width, key):
        self.width = width
        self.order = random.permutation(random.split(key)[0], width)


def load(text):
    config = tomllib.loads(text)
    return Flow(3, jnp.array(config["key"], dtype=jnp.uint32))


def example():
    return load(SAVED).order
