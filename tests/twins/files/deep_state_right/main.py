"""A rollout of an agent of another module."""

import jax

from .agent import AgentState, act


def example():
    state = AgentState(jax.random.key(0), 0.0)
    state = act(state)
    state = act(state)
    return state.value
