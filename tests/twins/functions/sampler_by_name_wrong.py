"""A sampler that is looked up by its name."""

import jax


def draw(key, name, shape):
    sampler = getattr(jax.random, name)
    return sampler(key, shape)


def mixture(seed, shape):
    key = jax.random.key(seed)
    a = draw(key, "normal", shape)  # first
    b = draw(key, "laplace", shape)  # error: OLY104 likely
    return a + b


def example():
    return mixture(0, (2,))
