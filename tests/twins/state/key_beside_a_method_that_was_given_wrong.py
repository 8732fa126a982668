"""An object calls the method of another one, which cannot change the object's key."""

from jax import random


class Actor:
    def select(self, key):
        return random.normal(key)


class Agent:
    def __init__(self, actor):
        self.key = random.key(0)
        self.select = actor.select

    def act(self):
        _, subkey = random.split(self.key)  # error: OLY104 likely
        return self.select(subkey)


def example():
    agent = Agent(Actor())
    return agent.act()
