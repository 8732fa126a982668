"""A row of rearranged keys is used up, and then one of its keys."""

import jax
from jax import random


def example():
    keys = random.split(random.key(0), 6)
    rows = keys.reshape((2, -1))
    first = jax.vmap(random.normal)(rows[0])  # first
    return first + random.normal(keys[2])  # error: OLY104 certain
