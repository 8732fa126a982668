"""An environment's reset: the branch for a fixed start and the one for a random start exclude each other."""

import jax
import jax.numpy as jnp


def reset(key, randomise_start, randomise_goal):
    if randomise_start:
        start = jax.random.uniform(key, (2,))  # first
    else:
        start = jnp.zeros(2)
    if randomise_goal:
        goal = jax.random.uniform(key, (2,), minval=2.0, maxval=3.0)  # error: OLY104 certain
    else:
        goal = jnp.ones(2)
    return start, goal


def example():
    return reset(jax.random.key(0), True, False), reset(jax.random.key(1), False, True)
