"""A helper that folds a number in takes nothing from the key; a helper that draws does."""

import jax


def layer_key(key, index):
    return jax.random.fold_in(key, index)


def layer(key, index, width):
    return jax.random.normal(layer_key(key, index), (width, width))


def network(key, width):
    first = layer(key, 0, width)
    second = layer(key, 1, width)
    head_key = layer_key(key, 2)
    head = jax.random.normal(head_key, (width, width))  # first
    return first @ second @ head + jax.random.normal(head_key, (width,))  # error: OLY104 certain


def example():
    return network(jax.random.key(0), 2)
