"""A configuration with a key as the default of a field."""

from typing import NamedTuple

import jax


class Config(NamedTuple):
    width: int = 4
    seed: int = 42


def build(config):
    return jax.random.normal(jax.random.PRNGKey(config.seed), (config.width,))


def example():
    return build(Config())
