"""The program, which names its package in full."""

import jax

import absolute_import_right.data
from absolute_import_right.data import load


def example():
    key = jax.random.key(0)
    train_key, test_key = jax.random.split(key)
    train = load(train_key, 3)
    test = absolute_import_right.data.load(test_key, 2)
    return train.sum() - test.sum()
