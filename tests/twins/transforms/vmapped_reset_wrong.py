"""Environments that are reset and stepped with one array of keys."""

import jax
import jax.numpy as jnp


def reset(key):
    return jax.random.uniform(key, (2,))


def step(key, state, action):
    return state + action + 0.1 * jax.random.normal(key, (2,))


def rollout(key, n_envs, length):
    key, reset_key = jax.random.split(key)
    keys = jax.random.split(reset_key, n_envs)
    state = jax.vmap(reset)(keys)  # first
    state = jax.vmap(step, in_axes=(0, 0, None))(keys, state, 1.0)  # error: OLY104 certain
    return jnp.mean(state, axis=0), key, length


def example():
    return rollout(jax.random.key(0), 3, 2)[0]
