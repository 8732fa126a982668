"""A helper that advances the key in its caller's dictionary, and one that does so in a list."""

import jax


def draw(state):
    state["key"], subkey = jax.random.split(state["key"])
    return jax.random.normal(subkey)


def draw_last(keys):
    keys[-1], subkey = jax.random.split(keys[-1])
    return jax.random.normal(subkey)


def advance(keys, i):
    keys[i] = jax.random.fold_in(keys[i], 1)


def example():
    state = {"key": jax.random.key(0), "count": 0}
    first, second = draw(state), draw(state)
    keys = list(jax.random.split(state["key"]))
    third, fourth = draw_last(keys), draw_last(keys)
    spare = [jax.random.key(1), jax.random.key(2)]
    fifth = jax.random.normal(spare[0])
    for i in range(2):
        advance(spare, i)
    return first, second, third, fourth, fifth, jax.random.normal(spare[0])
