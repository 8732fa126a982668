"""A step that replaces everything in its state but the key."""

from dataclasses import dataclass, replace

import jax


@dataclass(frozen=True)
class Walker:
    key: jax.Array
    position: float


def step(walker):
    key, step_key = jax.random.split(walker.key)
    position = walker.position + jax.random.normal(step_key)
    return replace(walker, position=position)


def walk(seed):
    walker = Walker(jax.random.key(seed), 0.0)
    walker = step(walker)  # first
    walker = step(walker)  # error: OLY104 certain
    return walker.position


def example():
    return walk(0)
