"""The number of words of raw keys as a length."""

import jax.numpy as jnp
from jax import random


def example():
    keys = random.split(random.PRNGKey(0), 4)
    return jnp.zeros((keys.shape[0], keys.shape[1]))  # error: OLY202 certain
