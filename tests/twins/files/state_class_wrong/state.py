"""State of a training run."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    weights: jax.Array
    key: jax.Array


def create(key):
    return State(jax.random.normal(key, (2,)), key)
