"""The hook gets a number, and the key stays."""

import jax


class Run:
    def __init__(self, rng):
        self.rng = rng
        self.step = 0


def turn(run, after):
    a = jax.random.normal(run.rng)  # first
    after(run.step)
    return a, jax.random.normal(run.rng)  # error: OLY104 likely


def renew(run):
    run.rng, _ = jax.random.split(jax.random.key(1))


def main():
    return turn(Run(jax.random.key(0)), print)
