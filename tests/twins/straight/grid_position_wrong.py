"""A random cell of a grid: the two coordinates are drawn from one key and are always equal."""

import jax
import jax.numpy as jnp


def random_cell(key, size):
    key, subkey = jax.random.split(key)
    row = jax.random.randint(subkey, (), 0, size)  # first
    column = jax.random.randint(subkey, (), 0, size)  # error: OLY104 certain
    return key, jnp.stack([row, column])


def place_agent_and_goal(key, size):
    key, agent = random_cell(key, size)
    _, goal = random_cell(key, size)
    return agent, goal


def example():
    return place_agent_and_goal(jax.random.PRNGKey(3), 9)
