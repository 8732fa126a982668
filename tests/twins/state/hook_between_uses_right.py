"""What a hook does to the object that it gets is its business."""

import jax


class Run:
    def __init__(self, rng):
        self.rng = rng
        self.step = 0


def turn(run, after):
    a = jax.random.normal(run.rng)
    after(run)
    return a, jax.random.normal(run.rng)


def renew(run):
    run.rng, _ = jax.random.split(jax.random.key(1))


def main():
    return turn(Run(jax.random.key(0)), renew)
