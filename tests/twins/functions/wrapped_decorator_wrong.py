"""A decorator that keeps the signature of what it wraps."""

import functools

import jax


def scaled(factor):
    def decorate(draw):
        @functools.wraps(draw)
        def wrapper(key, *args, **kwargs):
            return factor * draw(key, *args, **kwargs)

        return wrapper

    return decorate


@scaled(0.5)
def init_weights(key, shape):
    return jax.random.normal(key, shape)


def init(key):
    w1 = init_weights(key, (2, 3))  # first
    w2 = init_weights(key, (3, 2))  # error: OLY104 certain
    return w1 @ w2


def example():
    return init(jax.random.key(0))
