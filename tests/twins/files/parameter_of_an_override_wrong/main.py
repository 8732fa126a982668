"""A solver whose problem keeps the key from which its steps are drawn; the base class says what a problem is."""

import jax

from .problem import Problem
from .solver import Solver


class Walk(Solver):
    def solve(self, problem, key):
        problem.begin(key)
        place = problem.start()  # first
        step_key, noise_key = jax.random.split(key)  # error: OLY104 likely
        return place, jax.random.normal(step_key, place.shape), jax.random.normal(noise_key, place.shape)


def main():
    place, _, noise = Walk().solve(Problem(4), jax.random.key(0))
    assert (place == noise).all()
