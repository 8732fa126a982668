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
        self.key, subkey = random.split(self.key)
        return self.select(subkey)


def example():
    agent = Agent(Actor())
    return agent.act()
