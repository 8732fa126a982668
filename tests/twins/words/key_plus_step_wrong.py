"""A key for each step by addition."""

import jax
import jax.numpy as jnp


def noise(seed, steps):
    key = jax.random.PRNGKey(seed)
    out = []
    for step in range(steps):
        step_key = key + jnp.uint32(step)  # error: OLY102 certain
        out.append(jax.random.normal(step_key, (2,)))
    return jnp.stack(out)


def example():
    return noise(0, 3)
