"""A function that is a parameter gets the key by ``partial``."""

from functools import partial

import jax


def twice(draw, rng):
    one, two = jax.random.split(rng)
    return partial(draw, rng=one)(1.0) + partial(draw, rng=two)(2.0)


def example():
    return twice(lambda scale, rng: scale * jax.random.normal(rng), jax.random.key(0))
