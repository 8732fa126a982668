"""A decorator takes the key as the last argument, and the caller gives the same key twice."""

import functools

import jax


def key_last(scale):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x, key):
            return scale * function(key, x)

        return wrapper

    return decorate


@key_last(0.5)
def noisy(key, x):
    return x + jax.random.normal(key)


def example():
    key = jax.random.key(0)
    first = noisy(1.0, key)  # first
    second = noisy(2.0, key)  # error: OLY104 certain
    return first + second
