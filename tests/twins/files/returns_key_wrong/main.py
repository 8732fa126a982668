"""Evaluation over several episodes."""

import jax

from .rollout import rollout


def evaluate(seed, episodes):
    key = jax.random.key(seed)
    rewards = jax.random.normal(jax.random.fold_in(key, episodes), (episodes,))
    reward, key = rollout(key, 3)  # first
    return reward + rewards + jax.random.normal(key)  # error: OLY104 certain


def example():
    return evaluate(0, 2)
