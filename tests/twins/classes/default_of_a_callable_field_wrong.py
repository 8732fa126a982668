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
        up = self.weights(key, (self.width, 4))  # first
        return up, self.weights(key, (4, self.width))  # error: OLY104 certain


def example():
    return Layer(3).init(jax.random.key(0))
