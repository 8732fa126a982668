"""A function that is a parameter gets the key by ``partial``."""

from functools import partial

import jax


def twice(draw, rng):
    first = partial(draw, rng=rng)(1.0)  # first
    return first + partial(draw, rng=rng)(2.0)  # error: OLY104 certain


def example():
    return twice(lambda scale, rng: scale * jax.random.normal(rng), jax.random.key(0))
