"""A fold over data with `functools.reduce`: the key goes along with the sum, or stays outside."""

import functools

import jax


def total(key, rows):
    def add(carry, row):
        key, value = carry
        key, noise_key = jax.random.split(key)
        return key, value + row * jax.random.normal(noise_key)

    return functools.reduce(add, rows, (key, 0.0))[1]


def example():
    return total(jax.random.key(0), [1.0, 2.0])
