"""Arguments that a method hands on to a generator, among keywords out of sight."""

import json

from jax import random

SETTINGS = json.loads('{"epochs": 2}')


class Planner:
    def optimize(self, *args, **kwargs):
        found = None
        for found in self.search(*args, **kwargs):
            pass
        return found

    def search(self, key, epochs=3, guess=0.0):
        for _ in range(epochs):
            key, subkey = random.split(key)
            yield guess + random.normal(subkey)


def example():
    key = random.key(0)
    key, subkey = random.split(key)
    plan = Planner().optimize(key=key, guess=1.0, **SETTINGS)
    return plan - 1.0 + random.normal(subkey)
