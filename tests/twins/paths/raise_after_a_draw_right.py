"""A first step that is too large is drawn once more."""

import jax


class TooLarge(Exception):
    """The step leaves the domain."""


def step(key, most):
    key, other_key = jax.random.split(key)
    try:
        size = jax.random.normal(key) ** 2
        if size > most:
            raise TooLarge
    except TooLarge:
        size = jax.random.normal(other_key) ** 2
    return size


def main():
    refused = jax.random.normal(jax.random.key(0)) ** 2
    assert step(jax.random.key(0), 0.0) != refused
