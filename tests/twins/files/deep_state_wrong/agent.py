"""An agent whose state holds a key."""

from dataclasses import dataclass, replace

import jax


@dataclass(frozen=True)
class AgentState:
    key: jax.Array
    value: float


def act(state):
    key, noise_key = jax.random.split(state.key)  # error: OLY104 likely
    return replace(state, value=state.value + jax.random.normal(noise_key))
