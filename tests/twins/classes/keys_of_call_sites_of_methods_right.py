"""A method and an inner function with a parameter without a key's name, to which a caller gives a key."""

import jax


class Walk:
    def __init__(self, step):
        self.step = step

    def twice(self, source):
        one, two = jax.random.split(source)
        return self.step(one) + self.step(two)

    def run(self, seed):
        return self.twice(jax.random.key(seed))


def main():
    step = vars(jax.random)["normal"]

    def inner(source):
        one, two = jax.random.split(source)
        return step(one) + step(two)

    return inner(jax.random.key(1)), Walk(step).run(2)
