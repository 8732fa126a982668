"""A batch of keys by adding an index to the words of one."""

import jax
import jax.numpy as jnp


def particles(seed, n):
    key = jax.random.PRNGKey(seed)
    keys = key[None, :] + jnp.arange(n, dtype=jnp.uint32)[:, None]  # error: OLY102 certain  # error: OLY202 certain
    return jax.vmap(jax.random.normal)(keys)


def example():
    return particles(0, 3)
