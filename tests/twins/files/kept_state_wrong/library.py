"""A state, and a model that draws its weights when they are first asked for."""

import functools
from typing import NamedTuple

import jax


class State(NamedTuple):
    rng: jax.Array
    rate: float
    x: float


class Model:
    def __init__(self, key):
        self.key = key
        self.weights = None

    def built(self):
        if self.weights is None:
            self.weights = jax.random.normal(self.key)
        return self.weights

    @functools.cached_property
    def noise(self):
        return jax.random.uniform(self.key)


def step(state):
    rng, subkey = jax.random.split(state.rng)  # error: OLY104 likely
    if state.rate < 0:
        raise ValueError("the rate is negative")
    state = state._replace(rate=state.rate)
    return state._replace(x=state.x + state.rate * jax.random.normal(subkey))


def advance(box):
    box["next"], subkey = jax.random.split(box["key"])
    return box, jax.random.normal(subkey)
