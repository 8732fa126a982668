"""The base class keeps the key, the subclass draws from it in two methods."""

import jax


class Policy:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def fresh(self):
        self.key, key = jax.random.split(self.key)
        return key


class Exploring(Policy):
    def act(self, q):
        key = self.fresh()
        random_action = jax.random.randint(key, (), 0, q.shape[0])  # first
        explore = jax.random.bernoulli(key, 0.1)  # error: OLY104 certain
        return jax.numpy.where(explore, random_action, q.argmax())


def example():
    return Exploring(0).act(jax.numpy.arange(3.0))
