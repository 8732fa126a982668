"""An abstract method says nothing of what its implementations do; two subclasses do different things."""

from abc import ABC, abstractmethod

import jax


class Proposal(ABC):
    @abstractmethod
    def propose(self, key, x):
        raise NotImplementedError


class Indexed(Proposal):
    def propose(self, key, x):
        return x + jax.random.normal(jax.random.fold_in(key, 3), x.shape)


class Walk(Proposal):
    def propose(self, key, x):
        step = jax.random.normal(key, x.shape)  # first
        return x + step * jax.random.rademacher(key, x.shape)  # error: OLY104 certain


def example():
    return Walk().propose(jax.random.key(0), jax.numpy.ones(3)) + Indexed().propose(
        jax.random.key(1), jax.numpy.ones(3)
    )
