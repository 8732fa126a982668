"""The branches of ``cond`` are given by name, and a draw after it has the key of one of them."""

import jax


def choose(flag, key):
    drawn = jax.lax.cond(pred=flag, true_fun=lambda: jax.random.normal(key), false_fun=lambda: 0.0)  # first
    return drawn + jax.random.normal(key)  # error: OLY104 certain


def example():
    return choose(True, jax.random.key(0))
