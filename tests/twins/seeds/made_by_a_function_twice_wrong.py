"""The two towers are to differ, and the function that makes them has one seed for all."""

import jax


def tower(width, seed=0):
    return jax.random.normal(jax.random.key(seed), (width,))  # first


def towers():
    query, value = tower(8), tower(8)  # error: OLY104 likely
    return query, value


def main():
    query, value = towers()
    assert jax.numpy.array_equal(query, value)
