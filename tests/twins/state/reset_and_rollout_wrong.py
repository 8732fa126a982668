"""An agent's `reset` makes the key anew; its `act` has to advance it."""

import jax
import jax.numpy as jnp


class Agent:
    def __init__(self, seed):
        self.seed = seed
        self.reset()

    def reset(self):
        self.key = jax.random.key(self.seed)
        self.steps = 0

    def act(self, q):
        self.steps += 1
        self.key, act_key = jax.random.split(self.key)
        explore = jax.random.bernoulli(act_key, 0.1)  # first
        action = jax.random.randint(act_key, (), 0, q.shape[0])  # error: OLY104 certain
        return jnp.where(explore, action, q.argmax())


def example():
    agent = Agent(0)
    return agent.act(jnp.arange(3.0)), agent.act(jnp.arange(3.0))
