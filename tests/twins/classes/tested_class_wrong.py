"""Methods of an object whose class is tested, in a list of objects of several classes."""

import jax.numpy as jnp
from jax import random


class Layer:
    def state(self, key):
        return random.normal(key, (2,))

    def out(self, key):
        return jnp.zeros(2)


def build(layers, keys):
    made = []
    for layer, key in zip(layers, keys):
        if isinstance(layer, Layer):
            made.append(layer.state(key))  # first
            made.append(layer.state(key))  # error: OLY104 likely
    return made


def example():
    return build([Layer(), Layer()], random.split(random.key(0)))
