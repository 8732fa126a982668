"""A wrapper around an environment: the key that reset it is stored in its state and split again."""

from typing import NamedTuple

import jax


class EnvState(NamedTuple):
    position: jax.Array
    rng: jax.Array


class PointMass:
    def reset(self, rng):
        position = jax.random.uniform(rng, (2,))
        return EnvState(position, rng)

    def step(self, state, action):
        rng, noise_rng = jax.random.split(state.rng)
        return EnvState(state.position + action + jax.random.normal(noise_rng, (2,)), rng)


def rollout(seed, actions):
    env = PointMass()
    state = env.reset(jax.random.key(seed))  # first
    for action in actions:
        state = env.step(state, action)  # error: OLY104 certain
    return state.position


def example():
    return rollout(0, [0.1, 0.2])
