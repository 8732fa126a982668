"""A function in the place of a type."""

import jax


def noise(key: jax.Array, n: int) -> jax.Array:
    return jax.random.normal(key, (n,))


def example():
    return noise(jax.random.PRNGKey(0), 3)
