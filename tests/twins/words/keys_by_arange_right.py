"""A batch of keys by adding an index to the words of one."""

import jax
import jax.numpy as jnp


def particles(seed, n):
    key = jax.random.PRNGKey(seed)
    keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(key, jnp.arange(n))
    return jax.vmap(jax.random.normal)(keys)


def example():
    return particles(0, 3)
