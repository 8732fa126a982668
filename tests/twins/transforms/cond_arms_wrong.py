"""Exploration with `cond`: one of two arms, so one key is enough until a third draw comes."""

import jax
import jax.numpy as jnp


def choose(key, q_values, epsilon, exploring):
    def explore(k):
        return jax.random.randint(k, (), 0, q_values.shape[0])  # first

    def soften(k):
        return jnp.argmax(q_values + epsilon * jax.random.gumbel(k, q_values.shape))

    action = jax.lax.cond(exploring, explore, soften, key)
    return action, jax.random.uniform(key)  # error: OLY104 certain


def example():
    return choose(jax.random.key(0), jnp.arange(4.0), 0.1, True)
