"""An agent that gives the key for its next step back, and what makes one."""

import jax


class Agent:
    def __init__(self, size):
        self.size = size

    def act(self, key, x):
        key, sub = jax.random.split(key)
        return x + jax.random.normal(sub, (self.size,)), key

    def noise(self, key, i):
        return jax.random.normal(jax.random.fold_in(key, i), (self.size,))


def make_agent(size):
    agent = Agent(size)
    return agent


class Builder:
    def __init__(self, size=3):
        self.size = size

    def make(self):
        return Agent(self.size)


class Holder:
    def __init__(self, size):
        self.agent = Agent(size)

    @property
    def inner(self) -> Agent:
        return self.agent
