"""Copies of several keys, whose shape ends with the words."""

import jax
import jax.numpy as jnp
from jax import random


def example():
    keys = random.split(random.PRNGKey(0), 4)
    return jnp.broadcast_to(keys, (3, keys.shape[0], 2))  # error: OLY202 certain
