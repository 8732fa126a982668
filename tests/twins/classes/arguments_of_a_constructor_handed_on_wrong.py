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
    first = Net(key, 2)  # first
    return first.layer.weights + Net(key, 2).layer.weights  # error: OLY104 certain
