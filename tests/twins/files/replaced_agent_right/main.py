"""The agent of a runner may be another one: a method replaces it, or the runner is one of a subclass."""

import jax
from agents import Agent, Quiet


class Runner:
    def __init__(self):
        self.agent = Agent()

    def swap(self):
        self.agent = Quiet()


def ran(runner: Runner, key):
    noise, act = jax.random.split(key)
    return jax.random.normal(noise) + runner.agent.act(act)


class Fixed:
    def __init__(self):
        self.agent = Agent()


def fixed(runner: Fixed, key):
    noise, act = jax.random.split(key)
    return jax.random.normal(noise) + runner.agent.act(act)


def main():
    one, two = jax.random.split(jax.random.key(0))
    return ran(Runner(), one), fixed(Fixed(), two)
