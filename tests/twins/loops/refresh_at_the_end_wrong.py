"""An episode: the action is drawn from the key that the reset has consumed."""

import jax
import jax.numpy as jnp


def reset(key):
    return jax.random.uniform(key, (3,))


def act(key, observation):
    return jnp.argmax(observation + jax.random.gumbel(key, (3,)))


def episode(key, length):
    observation = reset(key)  # first
    total = 0.0
    for _ in range(length):
        key, action_key = jax.random.split(key)  # error: OLY104 certain
        action = act(action_key, observation)
        observation = jnp.roll(observation, action)
        total = total + observation[0]
    return total


def example():
    return episode(jax.random.key(3), 4)
