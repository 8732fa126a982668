"""A class inherits the method that draws from a base with a type parameter."""

from typing import Generic, TypeVar

import jax

T = TypeVar("T")


class Base(Generic[T]):
    def draw(self, key):
        return jax.random.normal(key)


class Scaled(Base[float]):
    def two(self, key):
        first = self.draw(key)  # first
        return first, self.draw(key)  # error: OLY104 certain


def example():
    return Scaled().two(jax.random.key(0))
