"""Proposals of a Markov chain, chosen with `switch`; one of them spends the key twice."""

import jax
import jax.numpy as jnp


def random_walk(key, x):
    return x + jax.random.normal(key, x.shape)


def jump(key, x):
    x = x + 10 * jax.random.rademacher(key, x.shape)  # first
    return x + jax.random.normal(key, x.shape)  # error: OLY104 certain


def propose(key, x):
    which_key, move_key = jax.random.split(key)
    which = jax.random.bernoulli(which_key).astype(int)
    return jax.lax.switch(which, [random_walk, jump], move_key, x)


def example():
    return propose(jax.random.key(0), jnp.zeros(3))
