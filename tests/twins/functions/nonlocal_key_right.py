"""A closure that advances the key of its function, and one that only reads it."""

import jax


def make_sampler(key):
    def sample(shape):
        nonlocal key
        key, subkey = jax.random.split(key)
        return jax.random.normal(subkey, shape)

    first = sample((2,))
    return first + sample((2,))


def example():
    return make_sampler(jax.random.key(0))
