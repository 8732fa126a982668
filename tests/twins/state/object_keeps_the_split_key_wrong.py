"""A constructor splits a key and keeps it; a method splits it again."""

import jax


class Agent:
    def __init__(self, key):
        first, second, _ = jax.random.split(key, 3)  # error: OLY104 likely
        self.weight, self.bias = jax.random.normal(first), jax.random.normal(second)
        self.key = key

    def act(self):
        self.key, subkey = jax.random.split(self.key)  # first
        return self.weight * jax.random.normal(subkey) + self.bias


def example():
    return Agent(jax.random.key(0)).bias
