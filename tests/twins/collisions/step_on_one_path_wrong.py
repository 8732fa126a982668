"""A mark that is a step towards the next key if a flag is set, and else is made again in every pass."""

import jax


def walk(key, deeper):
    for _ in range(3):
        mark = jax.random.fold_in(key, 42)  # first  # error: OLY108 certain
        key = jax.random.fold_in(key, 42) if deeper else key  # error: OLY108 certain
    return jax.random.normal(key)


def example():
    return walk(jax.random.key(0), deeper=True)
