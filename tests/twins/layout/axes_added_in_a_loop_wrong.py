"""Each turn of a loop replaces a key by its child; no axis is added, so an index takes a word of it."""

import jax


def advance(key, shape):
    for _ in reversed(shape):
        key, _ = jax.random.split(key)
    return key


def example(n=3):
    key = advance(jax.random.PRNGKey(0), (1, n))
    return jax.random.PRNGKey(key[0])  # error: OLY101 certain
