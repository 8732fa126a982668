"""A new key from a word of the old one, which is the old one."""

import jax


def fork(seed):
    key = jax.random.PRNGKey(seed)
    other = jax.random.PRNGKey(key[1])  # error: OLY101 certain
    return jax.random.normal(key) + jax.random.normal(other)


def example():
    return fork(2)
