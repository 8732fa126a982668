"""The branches of ``cond`` are given by name, and a draw after it has the key of one of them."""

import jax


def choose(flag, key):
    key, other = jax.random.split(key)
    drawn = jax.lax.cond(pred=flag, true_fun=lambda: jax.random.normal(key), false_fun=lambda: 0.0)
    return drawn + jax.random.normal(other)


def example():
    return choose(True, jax.random.key(0))
