"""Steps that draw, and give the key for the next step back."""

import jax


def act(key, x):
    key, sub = jax.random.split(key)
    return x + jax.random.normal(sub), key


def noise(key, i):
    return jax.random.normal(jax.random.fold_in(key, i))


def scaled(scale, key, x):
    y, key = act(key, x)
    return scale * y, key
