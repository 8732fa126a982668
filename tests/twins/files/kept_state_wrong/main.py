"""The program, which advances what another module defines."""

import jax

from .library import Model, State, advance, step


def main():
    first, second, third, fourth = jax.random.split(jax.random.key(0), 4)
    state = State(first, 0.1, 0.0)
    state = step(state)  # first
    state = step(state)  # error: OLY104 certain
    box, a = advance({"key": second})  # first
    box, b = advance(box)  # error: OLY104 certain
    model, other = Model(third), Model(fourth)
    return state.x, a, b, model.built(), model.built(), other.noise, other.built()  # error: OLY104 likely
