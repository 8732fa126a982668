"""A controller that trains where it is given no weights: it is given those of the last step of a trial."""

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


def trials(planner, key, number):
    for _ in range(number):
        key, subkey = jax.random.split(key)
        last = None
        for last in planner.steps(subkey):
            print(last["weights"].shape)
        best = None if last is None else last["weights"]
        yield Controller(planner, subkey, weights=best)


def example():
    return [controller.weights for controller in trials(Planner(), jax.random.key(0), 2)]
