"""A network of two layers."""

import jax

from ..ops import linear


class MLP:
    def __init__(self, key, width):
        first_key, second_key = jax.random.split(key)
        self.first = linear(first_key, width)
        self.second = linear(second_key, width)

    def __call__(self, x):
        return jax.nn.relu(x @ self.first) @ self.second
