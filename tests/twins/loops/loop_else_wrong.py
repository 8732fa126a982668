"""Rejection sampling with a bound on the number of tries; the `else` runs where no try was taken."""

import jax
import jax.numpy as jnp


def truncated(key, limit, tries):
    for _ in range(tries):
        key, subkey = jax.random.split(key)
        x = jax.random.normal(subkey)  # first
        if abs(float(x)) < limit:
            break
    else:
        x = jnp.clip(jax.random.normal(subkey), -limit, limit)  # error: OLY104 certain
    return x


def main():
    return truncated(jax.random.key(0), 0.5, 20)
