"""Arguments that go through `*args`."""

import jax


def scaled(scale, key, shape):
    return scale * jax.random.normal(key, shape)


def call_all(functions, *args):
    return [function(1.0, *args) for function in functions]


def pair(key, shape):
    a = scaled(2.0, *(key, shape))  # first
    return a + scaled(3.0, *(key, shape))  # error: OLY104 certain


def example():
    return pair(jax.random.key(0), (2,)), call_all([scaled], jax.random.key(1), (2,))
