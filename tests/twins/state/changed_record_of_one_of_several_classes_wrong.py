"""A method gives back a changed record whose key it has split; other records of the file have such a key, too."""

from typing import NamedTuple

import jax
from jax import random


class Walk(NamedTuple):
    place: jax.Array
    key: jax.Array


class Jump(NamedTuple):
    place: jax.Array
    height: jax.Array
    key: jax.Array


class Kernel:
    def sample(self, state: Walk):
        _, subkey = random.split(state.key)  # error: OLY104 likely
        return state._replace(place=state.place + random.normal(subkey), key=state.key)


def example():
    kernel = Kernel()
    return kernel.sample(Walk(0.0, random.key(0)))
