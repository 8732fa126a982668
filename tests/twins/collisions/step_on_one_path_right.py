"""A step towards the next key, another one if a flag is set."""

import jax


def walk(key, deeper):
    for i in range(3):
        key = jax.random.fold_in(key, 42) if deeper else jax.random.fold_in(key, i)
    return jax.random.normal(key)


def example():
    return walk(jax.random.key(0), deeper=True)
