"""An object calls what it holds between two draws: a function that it was given, or one that changes the object."""

from jax import random


class Agent:
    def __init__(self, report):
        self.key = random.key(0)

        def advance(value):
            self.key, _ = random.split(self.key)
            return report(value)

        self.report = report

    def act(self):
        first = random.normal(self.key)  # first
        self.report(first)
        return first + random.normal(self.key)  # error: OLY104 certain


def example():
    return Agent(print).act()
