"""Weights from a stream of keys of another module."""

import jax

from .stream import Stream


def build(seed):
    stream = Stream(seed)
    a = jax.random.normal(stream.next(), (2,))
    b = jax.random.normal(stream.next(), (2,))
    c = jax.random.normal(stream.peek(), (2,))  # first
    d = jax.random.normal(stream.peek(), (2,))  # error: OLY104 certain
    return a, b, c, d


def example():
    return build(0)
