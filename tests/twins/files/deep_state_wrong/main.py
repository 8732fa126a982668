"""A rollout of an agent of another module."""

import jax

from .agent import AgentState, act


def example():
    state = AgentState(jax.random.key(0), 0.0)
    state = act(state)  # first
    state = act(state)  # error: OLY104 certain
    return state.value
