"""State of a training run."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    weights: jax.Array
    key: jax.Array


def create(key):
    key, weight_key = jax.random.split(key)
    return State(jax.random.normal(weight_key, (2,)), key)
