"""Streams by purpose: two of them have the same number."""

import jax

DATA, INIT, DROPOUT = 0, 1, 1


def streams(seed):
    key = jax.random.key(seed)
    data_key = jax.random.fold_in(key, 0)
    init_key = jax.random.fold_in(key, 1)  # first
    dropout_key = jax.random.fold_in(key, 1)  # error: OLY108 certain
    return [jax.random.normal(k) for k in (data_key, init_key, dropout_key)]


def example():
    return streams(3)
