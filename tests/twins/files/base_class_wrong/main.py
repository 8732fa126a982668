"""An environment that adds something to the reset of its base."""

import jax

from .base import Env


class Windy(Env):
    def reset(self, key):
        self.describe(key)
        position = super().reset(key)  # first
        key, wind_key = jax.random.split(key)  # error: OLY104 certain
        return position + jax.random.normal(wind_key, (self.size,))


def example():
    return Windy().reset(jax.random.key(0))
