"""The weights are drawn whenever somebody asks for them, since nobody keeps them."""

import jax


class Layer:
    def __init__(self, key, width):
        self.key = key
        self.width = width
        self.weights = None

    def __call__(self, x):
        weights = self.weights
        if weights is None:
            weights = jax.random.normal(self.key, (self.width, self.width))  # first
        return x @ weights


def main():
    layer = Layer(jax.random.key(0), 3)
    hidden = layer(jax.numpy.ones(3))  # first
    return layer(hidden)  # error: OLY104 certain
