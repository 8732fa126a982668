"""Samplers under a name of the project's own, in another file."""

import jax

from .maths import fastmath


def noise(key):
    first = fastmath.random.normal(key)  # first
    return first + fastmath.normal(key)  # error: OLY104 certain


def main():
    return noise(jax.random.key(0))
