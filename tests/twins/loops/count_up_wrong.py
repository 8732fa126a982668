"""A loop without an end, numbered by `itertools.count`."""

import itertools

import jax


def until_positive(key):
    for i in itertools.count():
        x = jax.random.normal(key)  # error: OLY104 certain
        if float(x) > 0.0 or i > 3:
            return x


def main():
    return until_positive(jax.random.key(0))
