"""A training state with a key, and an object that draws from its own."""

from __future__ import annotations

import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class State:
    params: float
    rng: jax.Array

    def apply_losses(self, loss):
        rng, key = jax.random.split(self.rng)
        return dataclasses.replace(self, params=self.params - loss + jax.random.normal(key), rng=rng)


def make_state(rng):
    return State(0.0, rng)


class Source:
    def __init__(self, rng):
        self.rng = rng

    def draw(self):
        return jax.random.normal(self.rng)

    def renew(self):
        self.rng, key = jax.random.split(self.rng)
        return jax.random.normal(key)
