"""An object in front of the samplers, whose method hands its arguments on."""

from jax import random


class Sampler:
    def __init__(self, scale):
        self.scale = scale

    def normal(self, *args, **kwargs):
        return self.scale * random.normal(*args, **kwargs)


SAMPLER = Sampler(2.0)


def example():
    key = random.key(0)
    first = random.uniform(key)  # first
    return first + SAMPLER.normal(key)  # error: OLY104 certain
