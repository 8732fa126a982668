"""A critic's parameters are made before the key is split; the helper has spent it."""

import jax
import jax.numpy as jnp


def init_network(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
        key, layer_key = jax.random.split(key)
        params.append(jax.random.normal(layer_key, (n_in, n_out)) / jnp.sqrt(n_in))
    return params


def init_agent(key, n_obs, n_actions):
    critic = init_network(key, (n_obs, 8, 1))  # first
    key, actor_key = jax.random.split(key)  # error: OLY104 certain
    actor = init_network(actor_key, (n_obs, 8, n_actions))
    return critic, actor, key


def example():
    return init_agent(jax.random.key(0), 3, 2)[:2]
