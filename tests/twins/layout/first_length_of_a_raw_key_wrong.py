"""The number of words of a raw key as a length."""

import jax
import jax.numpy as jnp
from jax import random


def example():
    key = random.PRNGKey(0)
    return jnp.zeros(key.shape[0])  # error: OLY202 certain
