"""A rollout leaves the key of its last step in the state, and the next rollout splits it."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Acting(NamedTuple):
    x: jax.Array
    key: jax.Array


class Agent:
    def __init__(self, policy):
        self.policy = policy

    def rollout(self, acting, steps):
        def step(acting, key):
            action = self.policy(acting.x, key)
            return Acting(acting.x + action, key=acting.key), action

        key, acting_key = jax.random.split(acting.key)
        keys = jax.random.split(acting_key, steps)
        acting, actions = jax.lax.scan(step, acting, keys)
        return acting._replace(key=key), actions


def main():
    agent = Agent(lambda x, key: jax.random.key_data(key).sum())  # an action that shows its key
    acting, actions = agent.rollout(Acting(jnp.zeros((), "uint32"), jax.random.key(0)), 2)
    assert actions[-1] != jax.random.key_data(acting.key).sum()
