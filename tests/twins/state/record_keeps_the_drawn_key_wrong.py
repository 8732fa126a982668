"""A function draws from a key and returns it in a record; another function splits the record's key."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    place: jax.Array
    key: jax.Array


def reset(key):
    return State(jax.random.normal(key), key)  # error: OLY104 likely


def step(state):
    key, subkey = jax.random.split(state.key)  # first
    return State(state.place + jax.random.normal(subkey), key)


def example():
    return reset(jax.random.key(0)).place
