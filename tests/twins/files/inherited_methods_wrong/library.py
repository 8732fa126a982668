"""A class whose method draws."""

import jax


class Sampler:
    def draw(self, key):
        return jax.random.normal(key)


def first(seed):
    return jax.random.key(seed)


def parts(key):
    return jax.random.split(key)
