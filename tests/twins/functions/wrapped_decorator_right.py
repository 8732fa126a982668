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
    k1, k2 = jax.random.split(key)
    w1 = init_weights(k1, (2, 3))
    w2 = init_weights(k2, (3, 2))
    return w1 @ w2


def example():
    return init(jax.random.key(0))
