"""A method and an inner function with a parameter without a key's name, to which a caller gives a key."""

import jax


class Walk:
    def __init__(self, step):
        self.step = step

    def twice(self, source):
        first = self.step(source)  # first
        return first + self.step(source)  # error: OLY104 likely

    def run(self, seed):
        return self.twice(jax.random.key(seed))


def main():
    step = vars(jax.random)["normal"]

    def inner(source):
        first = step(source)  # first
        return first + step(source)  # error: OLY104 likely

    return inner(jax.random.key(1)), Walk(step).run(2)
