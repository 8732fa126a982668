"""A training loop whose carry is a dictionary."""

import jax
import jax.numpy as jnp


def train(key, weights, steps):
    def step(state, batch):
        noise = jax.random.normal(state["key"], batch.shape)  # error: OLY104 certain
        weights = state["weights"] - 0.1 * (batch + noise)
        return {"key": state["key"], "weights": weights}, jnp.sum(weights)

    state = {"key": key, "weights": weights}
    return jax.lax.scan(step, state, jnp.ones((steps, 3)))[1]


def example():
    return train(jax.random.key(0), jnp.zeros(3), 4)
