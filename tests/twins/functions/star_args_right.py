"""Arguments that go through `*args`."""

import jax


def scaled(scale, key, shape):
    return scale * jax.random.normal(key, shape)


def call_all(functions, *args):
    return [function(1.0, *args) for function in functions]


def pair(key, shape):
    a_key, b_key = jax.random.split(key)
    a = scaled(2.0, *(a_key, shape))
    return a + scaled(3.0, *(b_key, shape))


def example():
    return pair(jax.random.key(0), (2,)), call_all([scaled], jax.random.key(1), (2,))
