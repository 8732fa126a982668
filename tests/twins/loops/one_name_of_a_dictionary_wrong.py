"""A draw for each word of a list that equals one: words may repeat, and nothing shows whether these do."""

import jax


def noise(kinds, key):
    drawn = []
    for kind in kinds:
        if kind == "dense":
            drawn.append(jax.random.normal(key, (3,)))  # error: OLY104 likely
    return drawn


def example():
    return noise(["dense", "pool", "dense"], jax.random.key(0))
