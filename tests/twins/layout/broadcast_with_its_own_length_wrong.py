"""Copies of a key, whose shape ends with the number of its words."""

import jax
import jax.numpy as jnp
from jax import random


def draw(key, n):
    keys = jnp.broadcast_to(key, (n, key.shape[0]))  # error: OLY202 likely
    return keys, random.normal(key)


def example():
    return draw(random.PRNGKey(0), 3)
