"""A model whose caller gives the key that it splits for its layers."""

import jax


class Layer:
    def __init__(self, width, key):
        self.weight = jax.random.normal(key, (width,))


class Model:
    def __init__(self, width, key):
        first, second = jax.random.split(key)
        self.layers = [Layer(width, first), Layer(width, key=second)]


def example():
    return Model(3, jax.random.key(1)).layers[0].weight
