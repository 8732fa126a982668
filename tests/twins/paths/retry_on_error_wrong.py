"""Draw from a Cholesky factor, and from the diagonal if there is none."""

import jax
import jax.numpy as jnp


def draw(key, covariance, size):
    dim = covariance.shape[0]
    try:
        factor = jnp.linalg.cholesky(covariance)
    except ValueError:
        factor = jnp.diag(jnp.sqrt(jnp.diag(covariance)))
    noise = jax.random.normal(key, (size, dim))  # first
    try:
        samples = noise @ factor.T
    except TypeError:
        samples = jax.random.normal(key, (size, dim))  # error: OLY104 certain
    return samples


def example():
    return draw(jax.random.key(2), jnp.eye(3), 5)
