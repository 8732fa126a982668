"""A two-dimensional array of keys: the same lane is taken by row and by column."""

import jax


def particles(key, islands, size):
    keys = jax.random.split(key, (islands, size))
    draw = jax.vmap(lambda k: jax.random.normal(k, (2,)))
    start = jax.vmap(draw)(keys)  # first
    best = draw(keys[:, 0])  # error: OLY104 certain
    return start, best


def example():
    return particles(jax.random.key(0), 2, 3)
