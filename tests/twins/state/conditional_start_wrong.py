"""What a conditional gives is there, and the key is used."""

import jax


def start(key, warm, x=None):
    if x is None:
        x = jax.lax.cond(warm, jax.random.normal, lambda key: jax.numpy.zeros(()), key)  # first
    if x is not None:
        x = x_or_zero(x) + jax.random.uniform(key)  # error: OLY104 certain
    return x


def x_or_zero(x):
    return 0.0 if x is None else x


def main():
    return start(jax.random.key(0), True)
