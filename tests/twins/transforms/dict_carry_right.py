"""A training loop whose carry is a dictionary."""

import jax
import jax.numpy as jnp


def train(key, weights, steps):
    def step(state, batch):
        key, noise_key = jax.random.split(state["key"])
        noise = jax.random.normal(noise_key, batch.shape)
        weights = state["weights"] - 0.1 * (batch + noise)
        return {"key": key, "weights": weights}, jnp.sum(weights)

    state = {"key": key, "weights": weights}
    return jax.lax.scan(step, state, jnp.ones((steps, 3)))[1]


def example():
    return train(jax.random.key(0), jnp.zeros(3), 4)
