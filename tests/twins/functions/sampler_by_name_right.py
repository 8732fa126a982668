"""A sampler that is looked up by its name."""

import jax


def draw(key, name, shape):
    sampler = getattr(jax.random, name)
    return sampler(key, shape)


def mixture(seed, shape):
    a_key, b_key = jax.random.split(jax.random.key(seed))
    a = draw(a_key, "normal", shape)
    b = draw(b_key, "laplace", shape)
    return a + b


def example():
    return mixture(0, (2,))
