"""A step draws with the key of its state, and gives the next state the same key."""

from collections import namedtuple

import jax

State = namedtuple("State", ["step", "rng", "x"])


def move(rng, x):
    return x + jax.random.normal(rng)


def step(state):
    rng, subkey = jax.random.split(state.rng)
    x = move(subkey, state.x)
    return State(step=state.step + 1, rng=rng, x=x)


def main():
    first = step(State(0, jax.random.key(0), 0.0))
    second = step(first)
    assert second.x != 2 * first.x
