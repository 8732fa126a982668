"""The second copy of the state has the key of the first."""

from typing import NamedTuple

import jax


class State(NamedTuple):
    key: jax.Array
    x: jax.Array
    count: int


def step(state):
    key, subkey = jax.random.split(state.key)
    state = state._replace(key=key)
    return state._replace(x=state.x + jax.random.normal(subkey), count=state.count + 1)


def main():
    state = State(jax.random.key(0), jax.numpy.zeros(()), 0)
    state = step(state)
    state = step(state)
    return state.x
