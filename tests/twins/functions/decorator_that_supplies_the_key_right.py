"""A decorator supplies the key, so that callers give the other arguments only."""

import functools

import jax


def with_key(seed):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(jax.random.fold_in(jax.random.key(seed), x), x)

        return wrapper

    return decorate


@with_key(3)
def noisy(key, x):
    return x + jax.random.normal(key)


def example():
    x = 2
    return noisy(x) + noisy(x + 1)
