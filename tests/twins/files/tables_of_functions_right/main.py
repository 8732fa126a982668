"""Functions that are looked up in the tables, records and objects of another file."""

import jax

from .steps import AGENT, AGENTS, STEPS, TABLE, Agent, Steps, act, make_steps, noise


class Made:
    def __init__(self):
        self.steps = make_steps()

    def run(self, rng, x):
        y, rng = self.steps.act(rng, x)
        z, rng = self.steps.act(rng, y)
        return z

    def quiet(self, rng):
        return self.steps.noise(rng, 0), self.steps.noise(rng, 1)


class Given:
    def __init__(self):
        self.steps = Steps(act=act, noise=noise)

    def run(self, rng, x):
        y, rng = self.steps.act(rng, x)
        z, rng = self.steps.act(rng, y)
        return z

    def quiet(self, rng):
        return self.steps.noise(rng, 0), self.steps.noise(rng, 1)


class Chosen:
    agent_class = Agent

    def __init__(self):
        self.agent = self.agent_class()

    def run(self, rng, x):
        y, rng = self.agent.act(rng, x)
        z, rng = self.agent.act(rng, y)
        return z


def shared(rng, x):
    y, rng = STEPS.act(rng, x)
    z, rng = STEPS.act(rng, y)
    return z


def looked_up(rng, x):
    y, rng = TABLE["act"](rng, x)
    z, rng = TABLE["act"](rng, y)
    return z


def instance(rng, x):
    y, rng = AGENT.act(rng, x)
    z, rng = AGENT.act(rng, y)
    return z


def made(rng, x):
    agent = AGENTS["plain"]()
    y, rng = agent.act(rng, x)
    z, rng = agent.act(rng, y)
    return z


def quiet(rng):
    return STEPS.noise(rng, 0), TABLE["noise"](rng, 1)


def main():
    runs = [Made().run, Given().run, Chosen().run, shared, looked_up, instance, made]
    return [run(key, 0) for run, key in zip(runs, jax.random.split(jax.random.key(0), 7), strict=True)]
