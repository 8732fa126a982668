"""A network whose parameters are drawn from a seed."""

import jax


def parameters(sizes, seed=3):
    key = jax.random.key(seed)  # first
    layers = []
    for size in sizes:
        key, layer_key = jax.random.split(key)
        layers.append(jax.random.normal(layer_key, (size,)))
    return layers
