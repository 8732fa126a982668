"""A configuration with a key as the default of a field."""

from typing import NamedTuple

import jax


class Config(NamedTuple):
    width: int = 4
    key: jax.Array = jax.random.PRNGKey(42)  # error: OLY107 likely


def build(config):
    return jax.random.normal(config.key, (config.width,))


def example():
    return build(Config())
