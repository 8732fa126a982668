"""Test data of a regression: coefficients and noise."""

import jax


def make_problem(seed, n, dim):
    key = jax.random.key(seed)
    key, x_key, noise_key = jax.random.split(key, 3)
    x = jax.random.normal(x_key, (n, dim))
    coefficients = jax.random.normal(noise_key, (dim,))  # first
    y = x @ coefficients + 0.1 * jax.random.normal(noise_key, (n,))  # error: OLY104 certain
    return x, y, key


def example():
    return make_problem(5, 6, 2)[:2]
