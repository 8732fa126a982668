"""Environment state as a flax struct."""

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class State:
    position: jax.Array
    key: jax.Array


def step(state, action):
    key, noise_key = jax.random.split(state.key)
    position = state.position + action + jax.random.normal(noise_key, (2,))  # first
    wind = jax.random.uniform(noise_key, (2,))  # error: OLY104 certain
    return state.replace(position=position + 0.1 * wind, key=key)


def rollout(key, actions):
    return jax.lax.scan(lambda state, action: (step(state, action), None), State(jnp.zeros(2), key), actions)[
        0
    ].position


def example():
    return rollout(jax.random.key(0), jnp.ones((3, 2)))
