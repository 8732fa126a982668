"""The default key of a model is split for its layers, so their own defaults add no further mistake."""

import jax


class Layer:
    def __init__(self, width, key=jax.random.key(0)):
        self.weight = jax.random.normal(key, (width,))


class Model:
    def __init__(self, width, key=jax.random.key(0)):  # error: OLY107 certain
        first, second = jax.random.split(key)
        self.layers = [Layer(width, first), Layer(width, key=second)]


def example():
    return Model(3, jax.random.key(1)).layers[0].weight
