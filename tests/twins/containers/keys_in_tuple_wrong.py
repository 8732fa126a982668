"""A tuple of keys goes through a helper, which takes the second one apart again."""

import jax


def masks(keys, shape):
    row_key, column_key = keys
    return jax.random.bernoulli(row_key, 0.5, shape), jax.random.bernoulli(column_key, 0.5, shape)


def mask_and_fill(key, shape):
    pair = tuple(jax.random.split(key))
    rows, columns = masks(pair, shape)  # first
    fill = jax.random.normal(pair[1], shape)  # error: OLY104 certain
    return rows & columns, fill


def example():
    return mask_and_fill(jax.random.key(0), (2, 2))
