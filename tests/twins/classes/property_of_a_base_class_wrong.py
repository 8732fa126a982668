"""A property gives what its base class, which is out of sight, has under the name."""

from typing import NamedTuple

import jax
from jax import random


class Pair(NamedTuple):
    one: jax.Array
    two: jax.Array


class Scaled(Pair):
    @property
    def one(self):
        return super().one


def draw(pair: Scaled, key):
    first = random.normal(key) * pair.one  # first
    return first + random.uniform(key)  # error: OLY104 certain


def example():
    return draw(Scaled(1.0, 2.0), random.key(0))
