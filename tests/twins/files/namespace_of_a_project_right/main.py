"""Samplers under a name of the project's own, in another file."""

import jax

from .maths import fastmath


def noise(key):
    one, two = fastmath.random.split(key)
    return fastmath.random.normal(one) + fastmath.normal(two)


def main():
    return noise(jax.random.key(0))
