"""A solver whose steps begin with the seed that it gives to the problem."""

import jax

from .problem import Problem
from .solver import Solver


class Walk(Solver):
    def solve(self, problem: Problem, start=None, seed=None):
        self.prepare(problem, seed=seed)
        place = problem.start() if start is None else start
        key = jax.random.fold_in(jax.random.key(seed if seed is not None else 0), 7)
        steps = []
        for _ in range(3):
            step_key, key = jax.random.split(key)
            steps.append(jax.random.normal(step_key, place.shape))
        return place, steps


def main():
    place, steps = Walk().solve(Problem(4), seed=3)
    assert not jax.numpy.array_equal(place, steps[0])
