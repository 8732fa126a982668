"""A function that is a parameter gets the key in a record."""

from dataclasses import dataclass

import jax


@dataclass
class Request:
    size: int
    key: jax.Array


def serve(step, key):
    one, two = jax.random.split(key)
    return step(Request(2, one)), step(Request(3, key=two))


def example():
    return serve(lambda request: jax.random.normal(request.key, (request.size,)), jax.random.key(0))
