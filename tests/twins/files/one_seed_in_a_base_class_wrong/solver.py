"""What all solvers have in common."""

import random

import jax

from .problem import Problem


class Solver:
    def prepare(self, problem: Problem, seed: int | None = None, **settings):
        if seed is None:
            seed = random.getrandbits(32)
        problem.set_seed(seed)
        for name, value in settings.items():
            setattr(problem, name, value)
        return jax.random.key(seed)
