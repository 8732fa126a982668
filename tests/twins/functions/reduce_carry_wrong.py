"""A fold over data with `functools.reduce`: the key goes along with the sum, or stays outside."""

import functools

import jax


def total(key, rows):
    def add(value, row):
        return value + row * jax.random.normal(key)  # error: OLY104 certain

    return functools.reduce(add, rows, 0.0)


def example():
    return total(jax.random.key(0), [1.0, 2.0])
