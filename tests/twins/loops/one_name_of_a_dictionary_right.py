"""A draw for one name of a dictionary: of its names, which differ, at most one is asked for."""

import jax


def noise(tasks, key):
    drawn = []
    for name, size in tasks.items():
        if name == "regression":
            drawn.append(jax.random.normal(key, (size,)))
    return drawn


def example():
    return noise({"regression": 3, "ranking": 2}, jax.random.key(0))
