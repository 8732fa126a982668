"""A parameter is annotated with a class whose method draws."""

import jax


class Sampler:
    def draw(self, key):
        return jax.random.normal(key)


def twice(sampler: Sampler, key):
    first, second = jax.random.split(key)
    return sampler.draw(first) + 2 * sampler.draw(second)


def example():
    return twice(Sampler(), jax.random.key(0))
