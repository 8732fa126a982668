"""A closure that advances the key of its function, and one that only reads it."""

import jax


def make_sampler(key):
    def sample(shape):
        return jax.random.normal(key, shape)

    first = sample((2,))  # first
    return first + sample((2,))  # error: OLY104 certain


def example():
    return make_sampler(jax.random.key(0))
