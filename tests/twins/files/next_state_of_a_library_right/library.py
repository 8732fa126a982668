"""A state, and the move that a kernel makes."""

from collections import namedtuple

import jax

SamplerState = namedtuple("SamplerState", "x, accepted, rng_key")


def proposal(key, x):
    return x + jax.random.normal(key, x.shape)
