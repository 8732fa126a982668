"""An augmentation pipeline of partials."""

from functools import partial

import jax

from . import noise

weak = partial(noise.additive, 0.1)
strong = partial(noise.additive, 1.0)
off = partial(noise.none, 0.0)


def views(seed, x):
    key = jax.random.key(seed)
    plain = off(key, x)
    a = weak(key, x)  # first
    b = strong(key, x)  # error: OLY104 certain
    return plain, a, b


def example():
    return views(0, jax.numpy.ones(3))
