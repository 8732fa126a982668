"""A function splits the key of a state and returns the state as it was, so that its next call splits that key again."""

from dataclasses import dataclass

import jax


@dataclass
class State:
    key: jax.Array
    best: jax.Array


def ask(state: State):
    first, second = jax.random.split(state.key)  # error: OLY104 likely
    population = jax.random.normal(first, (4,)) + jax.random.uniform(second, (4,))
    return population, state


def example():
    population, _ = ask(State(jax.random.key(0), jax.numpy.zeros(4)))
    return population
