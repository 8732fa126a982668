"""A class whose ``__new__`` gives an object of another class: its methods are called, and not those of the class."""

import jax


class Builder:
    def __init__(self, rate):
        self.rate = rate

    def init(self, key):
        return jax.random.normal(key)


class Layer:
    def __new__(cls, rate):
        return Builder(rate)

    def init(self, key):
        return key


def example():
    key = jax.random.key(0)
    start = Layer(0.5).init(key)  # first
    return start * jax.random.uniform(key)  # error: OLY104 certain
