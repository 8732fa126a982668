"""A training step with optax: the data of a step and its noise."""

import jax
import jax.numpy as jnp
import optax


def loss_fn(params, batch, key):
    noise = 0.1 * jax.random.normal(key, batch.shape)
    return jnp.mean(((batch + noise) @ params - 1.0) ** 2)


def train(key, params, data, steps):
    optimiser = optax.sgd(0.1)
    state = optimiser.init(params)
    for _ in range(steps):
        key, step_key = jax.random.split(key)
        rows = jax.random.choice(step_key, data.shape[0], (2,))  # first
        grads = jax.grad(loss_fn)(params, data[rows], step_key)  # error: OLY104 certain
        updates, state = optimiser.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params


def example():
    return train(jax.random.key(0), jnp.ones(3), jnp.ones((5, 3)), 2)
