"""Views of a state get keys of their own: as an argument, from a fold beside the state's key, or in a state for them."""

from dataclasses import dataclass, replace

import jax

VIEWS = []


@dataclass
class State:
    position: jax.Array
    key: jax.Array


def step(state: State):
    key, noise_key, view_key = jax.random.split(state.key, 3)
    state = State(state.position + jax.random.normal(noise_key), key)
    return state, shadow(replace(state, key=view_key))


def lasers(state: State, key):
    return state.position + jax.random.normal(key)


def shadow(state: State):
    return state.position + jax.random.normal(state.key)


def fork(state: State):
    key, other_key = jax.random.split(state.key)
    return key, other_key


def main():
    VIEWS.append(lasers)
    state = State(jax.numpy.zeros(()), jax.random.key(0))
    views = [view(state, jax.random.key(1)) for view in VIEWS]
    state, shown = step(state)
    assert views != [state.position]
    assert shown != state.position
