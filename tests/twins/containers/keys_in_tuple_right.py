"""A tuple of keys goes through a helper, which takes the second one apart again."""

import jax


def masks(keys, shape):
    row_key, column_key = keys
    return jax.random.bernoulli(row_key, 0.5, shape), jax.random.bernoulli(column_key, 0.5, shape)


def mask_and_fill(key, shape):
    *pair, fill_key = jax.random.split(key, 3)
    rows, columns = masks(pair, shape)
    fill = jax.random.normal(fill_key, shape)
    return rows & columns, fill


def example():
    return mask_and_fill(jax.random.key(0), (2, 2))
