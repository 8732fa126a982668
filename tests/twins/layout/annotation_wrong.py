"""A function in the place of a type."""

import jax


def noise(key: jax.random.PRNGKey, n: int) -> jax.Array:  # error: OLY204 certain
    return jax.random.normal(key, (n,))


def example():
    return noise(jax.random.PRNGKey(0), 3)
