"""A parameter is annotated with a protocol; the classes of the file that follow it draw."""

from typing import Protocol

import jax


class Proposal(Protocol):
    def propose(self, key): ...


class Normal(Proposal):
    def propose(self, key):
        return jax.random.normal(key)


class Uniform(Proposal):
    def propose(self, key):
        return jax.random.uniform(key)


def pair(proposal: Proposal, key):
    first = proposal.propose(key)  # first
    return first, proposal.propose(key)  # error: OLY104 likely


def example():
    one, two = jax.random.split(jax.random.key(0))
    return pair(Normal(), one), pair(Uniform(), two)
