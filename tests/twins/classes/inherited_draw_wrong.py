"""A base class draws in a method that the subclass calls beside its own draw."""

import jax
import jax.numpy as jnp


class Layer:
    def __init__(self, width):
        self.width = width

    def kernel(self, key):
        return jax.random.normal(key, (self.width, self.width))


class Biased(Layer):
    def init(self, key):
        kernel = self.kernel(key)  # first
        bias = jax.random.normal(key, (self.width,))  # error: OLY104 certain
        return jnp.concatenate([kernel, bias[None]])


def example():
    return Biased(3).init(jax.random.key(0))
