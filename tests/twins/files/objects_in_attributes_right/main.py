"""Objects of another file, in attributes that a constructor, a factory, a builder or an annotation fills."""

import dataclasses
from typing import Optional

import jax

from .agents import Agent, Builder, Holder, make_agent


class Constructed:
    def __init__(self):
        self.size, self.agent = 3, Agent(3)

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z

    def quiet(self, rng):
        return self.agent.noise(rng, 0), self.agent.noise(rng, 1)


class Made:
    def __init__(self, size=3):
        self.agent = make_agent(size)

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z


class Built:
    def __init__(self, builder: Builder):
        self.agent = builder.make()

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z


class Given:
    def __init__(self, agent: Agent):
        self.agent = agent

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z


@dataclasses.dataclass
class Field:
    agent: Optional[Agent] = None

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z


@dataclasses.dataclass
class Fields:
    agents: dict[str, Agent]

    def run(self, rng, x):
        y, rng = self.agents["first"].act(rng, x)
        z, rng = self.agents["first"].act(rng, y)
        return z


class Listed:
    def __init__(self):
        self.agents = [Agent(3) for _ in range(2)]

    def run(self, rng, x):
        y, rng = self.agents[0].act(rng, x)
        z, rng = self.agents[0].act(rng, y)
        return z


class Nested:
    def __init__(self, size=3):
        self.holder = Holder(size)

    def run(self, rng, x):
        y, rng = self.holder.inner.act(rng, x)
        z, rng = self.holder.inner.act(rng, y)
        return z


def held(holder: Holder, rng, x):
    y, rng = holder.agent.act(rng, x)
    z, rng = holder.agent.act(rng, y)
    return z


def main():
    made = [Constructed(), Made(), Built(Builder()), Given(Agent(3)), Field(Agent(3)), Fields({"first": Agent(3)})]
    keys = jax.random.split(jax.random.key(0), 9)
    drawn = [each.run(key, 0) for each, key in zip([*made, Listed(), Nested()], keys, strict=False)]
    return drawn, held(Holder(3), keys[8], 0)
