"""Steps in tables, records and objects, for other files."""

import dataclasses
from collections.abc import Callable

import jax


def act(key, x):
    key, sub = jax.random.split(key)
    return x + jax.random.normal(sub), key


def noise(key, i):
    return jax.random.normal(jax.random.fold_in(key, i))


@dataclasses.dataclass
class Steps:
    act: Callable
    noise: Callable


class Agent:
    def act(self, key, x):
        return act(key, x)


def make_steps():
    return Steps(act=act, noise=noise)


STEPS = Steps(act, noise)
TABLE = {"act": act, "noise": noise}
AGENTS = {"plain": Agent}
AGENT = Agent()
