"""Auto-reset inside of `scan`: the step and the reset of one turn share a key."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Carry(NamedTuple):
    key: jax.Array
    position: jax.Array


def env_step(key, position, action):
    return position + action + 0.1 * jax.random.normal(key, position.shape)


def env_reset(key):
    return jax.random.uniform(key, (2,))


def unroll(key, steps):
    def body(carry, _):
        key, step_key = jax.random.split(carry.key)
        moved = env_step(step_key, carry.position, 1.0)  # first
        fresh = env_reset(step_key)  # error: OLY104 certain
        position = jnp.where(jnp.all(moved > 3.0), fresh, moved)
        return Carry(key, position), position

    key, start_key = jax.random.split(key)
    return jax.lax.scan(body, Carry(key, env_reset(start_key)), None, length=steps)[1]


def example():
    return unroll(jax.random.key(0), 4)
