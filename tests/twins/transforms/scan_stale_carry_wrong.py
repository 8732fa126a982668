"""A rollout under `scan`: the carry gives back the key that it was given."""

import jax
import jax.numpy as jnp


def rollout(key, policy, state, length):
    def step(carry, _):
        key, state = carry
        key_, action_key = jax.random.split(key)  # error: OLY104 certain
        action = jax.random.categorical(action_key, policy @ state)
        state = jnp.roll(state, action)
        return (key, state), action

    return jax.lax.scan(step, (key, state), None, length=length)


def example():
    _, actions = rollout(jax.random.key(0), jnp.eye(3), jnp.arange(3.0), 5)
    return actions
