"""Two tests of one number that exclude each other."""

import jax
import jax.numpy as jnp


def pad_or_crop(key, x, length):
    n = x.shape[0]
    if n > length:
        start = jax.random.randint(key, (), 0, n - length + 1)  # first
        x = jax.lax.dynamic_slice(x, (start,), (length,))
    if n != length:
        x = jnp.resize(x, (length,)) + jax.random.normal(key, (length,))  # error: OLY104 certain
    return x


def example():
    return pad_or_crop(jax.random.key(0), jnp.ones(6), 4), pad_or_crop(jax.random.key(1), jnp.ones(3), 4)
