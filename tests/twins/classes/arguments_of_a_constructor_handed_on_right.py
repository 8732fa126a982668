"""A class that hands the arguments of its constructor on."""

from jax import random


class Layer:
    def __init__(self, key, size):
        self.weights = random.normal(key, (size,))


class Net:
    def __init__(self, *args):
        self.layer = Layer(*args)


def example():
    key = random.key(0)
    one, two = random.split(key)
    first = Net(one, 2)
    return first.layer.weights + Net(two, 2).layer.weights
