"""The seed is counted up after both uses."""

import jax


def draws(seed):
    first = jax.random.normal(jax.random.key(seed))  # first
    again = jax.random.normal(jax.random.key(seed))  # error: OLY104 certain
    seed += 1
    return first, again, seed


def main():
    first, again, _ = draws(0)
    assert first == again
