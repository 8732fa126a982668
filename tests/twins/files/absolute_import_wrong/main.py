"""The program, which names its package in full."""

import jax

import absolute_import_wrong.data
from absolute_import_wrong.data import load


def example():
    key = jax.random.key(0)
    train = load(key, 3)  # first
    test = absolute_import_wrong.data.load(key, 2)  # error: OLY104 certain
    return train.sum() - test.sum()
