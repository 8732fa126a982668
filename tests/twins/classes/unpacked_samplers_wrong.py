"""Samplers that are unpacked into attributes, of which the settings choose one."""

from jax import random


def samplers():
    def normal(key):
        return random.normal(key)

    def uniform(key):
        return random.uniform(key)

    return normal, uniform


class Model:
    def __init__(self, settings):
        self.settings = settings
        self.first, self.second = samplers()

    def draw(self, key):
        total = 0.0
        if self.settings["kind"] == "normal":
            total += self.first(key)  # first
        if self.settings["kind"] == "normal":
            total += self.second(key)  # error: OLY104 likely
        return total


def example():
    return Model({"kind": "normal"}).draw(random.key(0))
