"""What all solvers have in common: the types of the arguments are written here alone."""

from .problem import Problem


class Solver:
    def solve(self, problem: Problem, key):
        raise NotImplementedError
