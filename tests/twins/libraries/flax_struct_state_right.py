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
    position = state.position + action + jax.random.normal(noise_key, (2,))
    key, wind_key = jax.random.split(key)
    wind = jax.random.uniform(wind_key, (2,))
    return state.replace(position=position + 0.1 * wind, key=key)


def rollout(key, actions):
    return jax.lax.scan(lambda state, action: (step(state, action), None), State(jnp.zeros(2), key), actions)[
        0
    ].position


def example():
    return rollout(jax.random.key(0), jnp.ones((3, 2)))
