"""The seed is counted up between the uses."""

import jax


def draws(seed):
    first = jax.random.normal(jax.random.key(seed))
    seed += 1
    again = jax.random.normal(jax.random.key(seed))
    return first, again, seed


def main():
    first, again, _ = draws(0)
    assert first != again
