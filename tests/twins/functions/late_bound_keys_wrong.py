"""Functions that a loop makes and that code out of sight runs: all of them, with the key that the name has by then."""

from jax import random


class Runner:
    def run_all(self, functions):
        return sum(function() for function in functions)


def runner(kind):
    return getattr(Runner(), f"run_{kind}")


def shared(key):
    return runner("all")([lambda: random.normal(key) for _ in range(3)])  # error: OLY104 likely


def late(key):
    draws = [lambda: random.normal(k) for k in random.split(key, 3)]  # error: OLY104 likely
    return runner("all")(draws)


def appended(key):
    draws = []
    for k in random.split(key, 3):
        draws.append(lambda: random.uniform(k))  # error: OLY104 likely
    return runner("all")(draws)


def example():
    one, two, three = random.split(random.key(0), 3)
    return shared(one) + late(two) + appended(three)
