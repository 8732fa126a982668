"""The weights are drawn when they are first asked for."""

import jax


class Layer:
    def __init__(self, key, width):
        self.key = key
        self.width = width
        self.weights = None

    def build(self):
        if self.weights is None:
            self.weights = jax.random.normal(self.key, (self.width, self.width))

    def __call__(self, x):
        self.build()
        return x @ self.weights


def main():
    layer = Layer(jax.random.key(0), 3)
    layer.build()
    layer.build()
    return layer(jax.numpy.ones(3))
