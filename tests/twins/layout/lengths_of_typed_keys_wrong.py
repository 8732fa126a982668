"""The axes of keys, and the words behind them."""

import jax.numpy as jnp
from jax import random


def example():
    keys = random.split(random.PRNGKey(0), (4, 2))
    return keys.shape[0] * keys.shape[1] + keys.shape[2]  # error: OLY202 certain
