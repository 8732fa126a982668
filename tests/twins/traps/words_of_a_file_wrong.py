"""Words that are read from a file are made an array of integers: what is read is no key yet."""

import tomllib

import jax.numpy as jnp
from jax import random

SAVED = "key = [0, 7]"


class Flow:
    def __init__(self, width, key):
        self.width = width
        self.order = random.permutation(random.split(key)[0], width)


def load(key):
    return Flow(3, jnp.array(key, dtype=jnp.uint32))  # error: OLY206 likely


def example():
    key = random.key(len(SAVED))
    with_words = random.key_data(key)
    return load(with_words).order, tomllib.loads(SAVED)["key"]
