"""A loop that goes on with the key of a state made elsewhere."""

import jax

from .state import create


def run(seed):
    state = create(jax.random.key(seed))  # first
    noise = jax.random.normal(state.key, (2,))  # error: OLY104 certain
    return state.weights + noise


def example():
    return run(0)
