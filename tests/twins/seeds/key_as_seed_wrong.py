"""A key where a seed is wanted, in a branch that tests do not take."""

import jax


def fork(seed, fresh):
    key, other = jax.random.split(jax.random.key(seed))
    if fresh:
        other = jax.random.key(other)  # error: OLY109 certain
    return jax.random.normal(key) + jax.random.normal(other)


def example():
    return fork(0, False)
