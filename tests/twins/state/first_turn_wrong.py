"""The state is given up after each turn."""

import jax


def smooth(key, values):
    state = None
    for value in values:
        if state is None:
            state = jax.random.normal(key)  # error: OLY104 certain
        value, state = value + state, None
    return state


def main():
    return smooth(jax.random.key(0), [1.0, 2.0, 3.0])
