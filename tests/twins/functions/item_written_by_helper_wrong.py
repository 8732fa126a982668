"""A helper that counts in its caller's dictionary, and leaves the key there as it is."""

import jax


def draw(state):
    state["count"] += 1
    return jax.random.normal(state["key"])


def advance(state):
    state["key"] = jax.random.split(state["key"])[0]


def example():
    state = {"key": jax.random.key(0), "count": 0}
    first = draw(state)  # first
    second = draw(state)  # error: OLY104 certain
    advance(state)  # first
    third = draw(state)  # first
    other = state
    return first, second, third, jax.random.normal(other["key"])  # error: OLY104 certain
