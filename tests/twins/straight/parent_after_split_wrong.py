"""Chains of a sampler: the parent is split again for the second set of chains."""

import jax


def initial_positions(key, n_chains, dim):
    key, warm_key, sample_key = jax.random.split(key, 3)
    warm = jax.vmap(lambda k: jax.random.normal(k, (dim,)))(jax.random.split(warm_key, n_chains))  # first
    sample_keys = jax.random.split(warm_key, n_chains)  # error: OLY104 certain
    cold = jax.vmap(lambda k: jax.random.uniform(k, (dim,)))(sample_keys)
    return warm, cold, key


def example():
    warm, cold, _ = initial_positions(jax.random.key(11), 3, 2)
    return warm + cold
