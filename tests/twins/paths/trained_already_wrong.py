"""A controller that trains where it is given no weights: of a trial that does not keep its weights, it is given none."""

import jax


class Planner:
    def steps(self, key):
        for _ in range(2):
            key, subkey = jax.random.split(key)
            yield {"weights": jax.random.normal(subkey, (3,))}


class Controller:
    def __init__(self, planner, key, weights=None):
        self.is_given = weights is not None
        if not self.is_given:
            for step in planner.steps(key):
                weights = step["weights"]
        self.weights = weights


def trials(planner, key, number, keep):
    for _ in range(number):
        key, subkey = jax.random.split(key)
        last = None
        for last in planner.steps(subkey):  # first
            print(last["weights"].shape)
        best = None if last is None or not keep else last["weights"]
        yield Controller(planner, subkey, weights=best)  # error: OLY104 likely


def example():
    return [controller.weights for controller in trials(Planner(), jax.random.key(0), 2, keep=False)]
