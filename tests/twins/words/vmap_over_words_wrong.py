"""A map over the axis of the words."""

import jax


def pair(seed):
    keys = jax.random.split(jax.random.PRNGKey(seed))
    return jax.vmap(jax.random.uniform, in_axes=1)(keys)  # error: OLY103 certain


def example():
    return pair(0)
