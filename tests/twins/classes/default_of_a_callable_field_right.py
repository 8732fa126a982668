"""A field of a class is an initialiser by default."""

from collections.abc import Callable
from dataclasses import dataclass

import jax
from jax.nn.initializers import lecun_normal


@dataclass
class Layer:
    width: int
    weights: Callable = lecun_normal()

    def init(self, key):
        one, two = jax.random.split(key)
        return self.weights(one, (self.width, 4)), self.weights(two, (4, self.width))


def example():
    return Layer(3).init(jax.random.key(0))
