"""Initialisers are made by default, in the parameters of a function whose inner function calls them."""

import jax


def randn(scale=1e-2):
    def init(rng, shape):
        return scale * jax.random.normal(rng, shape)

    return init


def dense(width, weights=randn(), bias=randn(1e-6)):
    def init(rng, size):
        w = weights(rng, (size, width))  # first
        return w, bias(rng, (width,))  # error: OLY104 certain

    return init


def example():
    return dense(3)(jax.random.key(0), 2)
