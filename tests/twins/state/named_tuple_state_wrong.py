"""State of a training loop: the step replaces the weights and forgets the key."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class TrainState(NamedTuple):
    weights: jax.Array
    key: jax.Array


def train_step(state, batch):
    key, noise_key = jax.random.split(state.key)
    noise = jax.random.normal(noise_key, batch.shape)
    weights = state.weights - 0.1 * (batch + noise)
    return state._replace(weights=weights)


def train(seed, batches):
    state = TrainState(jnp.zeros(3), jax.random.key(seed))
    for batch in batches:
        state = train_step(state, batch)  # error: OLY104 certain
    return state.weights


def example():
    return train(0, [jnp.ones(3), jnp.ones(3)])
