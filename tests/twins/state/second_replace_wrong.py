"""The first copy of the state does not get the new key."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    key: jax.Array
    x: jax.Array
    count: int


def step(state):
    key, subkey = jax.random.split(state.key)
    state = state._replace(count=state.count)
    return state._replace(x=state.x + jax.random.normal(subkey), count=state.count + 1)


def main():
    state = State(jax.random.key(0), jax.numpy.zeros(()), 0)
    state = step(state)  # first
    state = step(state)  # error: OLY104 certain
    return state.x
