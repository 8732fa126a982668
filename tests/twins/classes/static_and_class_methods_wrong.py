"""Constructors as class methods, samplers as static methods."""

import jax


class Gaussian:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    @staticmethod
    def standard(key, shape):
        return jax.random.normal(key, shape)

    @classmethod
    def random(cls, key):
        loc_key, scale_key = jax.random.split(key)
        return cls(jax.random.normal(loc_key), jax.random.exponential(scale_key))

    def sample(self, key, shape):
        return self.loc + self.scale * self.standard(key, shape)


def study(key):
    prior = Gaussian.random(key)  # first
    return prior.sample(key, (3,))  # error: OLY104 certain


def example():
    return study(jax.random.key(0))
