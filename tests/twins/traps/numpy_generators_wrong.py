"""Generators of numpy and of the standard library change when they are used; keys of JAX do not."""

import random

import jax
import numpy as np


def splits(seed, n):
    rng = np.random.default_rng(seed)
    train = rng.permutation(n)
    test = rng.permutation(n)
    random.seed(seed)
    jitter = random.uniform(0, 1) + random.uniform(0, 1)
    legacy = np.random.RandomState(seed)
    noise = legacy.normal(size=n) + legacy.normal(size=n)
    key = jax.random.key(seed)
    first = jax.random.permutation(key, n)  # first
    second = jax.random.permutation(key, n)  # error: OLY104 certain
    return train, test, jitter, noise, first, second


def main():
    return splits(0, 4)
