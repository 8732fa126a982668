"""An object calls a function that it was given, which cannot change the object's key."""

from jax import random


class Agent:
    def __init__(self, policy):
        self.key = random.key(0)
        self.policy = policy

    def act(self, scale):
        _, subkey = random.split(self.key)  # error: OLY104 likely
        return self.policy(subkey, scale)


def example():
    agent = Agent(lambda key, scale: scale * random.normal(key))
    return agent.act(1.0)
