"""A solver whose problem keeps a key of its own; the base class says what a problem is."""

import jax

from .problem import Problem
from .solver import Solver


class Walk(Solver):
    def solve(self, problem, key):
        problem_key, key = jax.random.split(key)
        problem.begin(problem_key)
        place = problem.start()
        step_key, noise_key = jax.random.split(key)
        return place, jax.random.normal(step_key, place.shape), jax.random.normal(noise_key, place.shape)


def main():
    place, _, noise = Walk().solve(Problem(4), jax.random.key(0))
    assert not (place == noise).any()
