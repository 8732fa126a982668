"""The key that went into a loop is used once more after it."""

import jax


def climb_and_jitter(key, start):
    def below(state):
        return state[1] < 3.0

    def climb(state):
        key, x = state
        key, subkey = jax.random.split(key)  # first
        return key, x + jax.random.uniform(subkey)

    _, top = jax.lax.while_loop(below, climb, (key, start))
    return top + jax.random.normal(key)  # error: OLY104 certain


def example():
    return climb_and_jitter(jax.random.key(4), 0.0)
