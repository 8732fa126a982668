"""A parameter is annotated with a class whose method draws."""

import jax


class Sampler:
    def draw(self, key):
        return jax.random.normal(key)


def twice(sampler: Sampler, key):
    return sampler.draw(key) + 2 * sampler.draw(key)  # error: OLY104 likely


def example():
    return twice(Sampler(), jax.random.key(0))
