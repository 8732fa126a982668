"""An object calls what it holds between two draws: a function that it was given, or one that changes the object."""

from jax import random


class Agent:
    def __init__(self, report):
        self.key = random.key(0)

        def advance(value):
            self.key, _ = random.split(self.key)
            return report(value)

        self.report = advance

    def act(self):
        first = random.normal(random.fold_in(self.key, 0))
        self.report(first)
        return first + random.normal(self.key)


def example():
    return Agent(print).act()
