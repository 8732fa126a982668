"""A function that is a parameter gets the key in a record."""

from dataclasses import dataclass

import jax


@dataclass
class Request:
    size: int
    key: jax.Array


def serve(step, key):
    first = step(Request(2, key))  # first
    return first, step(Request(3, key=key))  # error: OLY104 certain


def example():
    return serve(lambda request: jax.random.normal(request.key, (request.size,)), jax.random.key(0))
