"""A step draws with the key of its state, and gives the next state the same key."""

from collections import namedtuple

import jax

State = namedtuple("State", ["step", "rng", "x"])


def move(rng, x):
    return x + jax.random.normal(rng)


def step(state):
    assert state.step >= 0
    x = move(state.rng, state.x)  # first
    return State(step=state.step + 1, rng=state.rng, x=x)  # error: OLY104 likely


def main():
    first = step(State(0, jax.random.key(0), 0.0))
    second = step(first)
    assert second.x == 2 * first.x
