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
    first = random.normal(random.fold_in(key, 1)) * pair.one
    return first + random.uniform(random.fold_in(key, 2))


def example():
    return draw(Scaled(1.0, 2.0), random.key(0))
