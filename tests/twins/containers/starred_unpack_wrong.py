"""The rest of a split, by a star."""

import jax


def init_ensemble(key, members):
    key, first_key, *member_keys = jax.random.split(key, members + 2)
    prior = jax.random.normal(first_key, (3,))
    draws = [jax.random.normal(k, (3,)) for k in member_keys]  # first
    noise = jax.random.uniform(member_keys[0], (3,))  # error: OLY104 certain
    return prior, draws, noise


def example():
    return init_ensemble(jax.random.key(0), 2)
