"""Noise of several kinds."""

import jax


def additive(scale, key, x):
    return x + scale * jax.random.normal(key, x.shape)


def none(scale, key, x):
    return x
