"""A view of a state draws from the key that the state keeps, so that the next step splits that key again."""

from dataclasses import dataclass

import jax

VIEWS = []


@dataclass
class State:
    position: jax.Array
    key: jax.Array


def step(state: State):
    key, noise_key = jax.random.split(state.key)  # first
    return State(state.position + jax.random.normal(noise_key), key)


def lasers(state: State):
    _, laser_key = jax.random.split(state.key)  # error: OLY104 likely
    return state.position + jax.random.normal(laser_key)


def main():
    VIEWS.append(lasers)
    state = State(jax.numpy.zeros(()), jax.random.key(0))
    views = [view(state) for view in VIEWS]
    state = step(state)
    assert views == [state.position]
