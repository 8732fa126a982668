"""Objects and functions that are given the functions of another file."""

import dataclasses
from collections.abc import Callable
from functools import partial

import jax

from .steps import act, noise, scaled


class Held:
    def __init__(self):
        self.act = jax.jit(act)
        self.scaled = partial(scaled, 2.0)
        self.noise = noise

    def run(self, key, x):
        y, key = self.act(key, x)
        z, key = self.scaled(key, y)
        return z

    def quiet(self, key):
        return self.noise(key, 0), self.noise(key, 1)


@dataclasses.dataclass
class Default:
    act: Callable = act

    def run(self, key, x):
        y, key = self.act(key, x)
        z, key = self.act(key, y)
        return z


class Shared:
    act = staticmethod(act)

    def run(self, key, x):
        y, key = self.act(key, x)
        z, key = self.act(key, y)
        return z


def twice(step, key, x):
    y, key = step(key, x)
    z, key = step(key, y)
    return z


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    return Held().run(keys[0], 0), Default().run(keys[1], 0), Shared().run(keys[2], 0), twice(act, keys[3], 0)
