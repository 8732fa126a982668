"""Folding in a chain gives new keys at every link."""

import jax


def dropout_masks(key, step, layers):
    key = jax.random.fold_in(key, step)
    masks = []
    for layer in range(layers):
        k = jax.random.fold_in(key, layer)
        masks.append(jax.random.bernoulli(k, 0.9, (3,)))
    k = jax.random.fold_in(jax.random.fold_in(key, 7), 0)  # first
    other = jax.random.fold_in(jax.random.fold_in(key, 7), 0)  # error: OLY108 certain
    return masks, jax.random.normal(k), jax.random.normal(other)


def example():
    return dropout_masks(jax.random.key(0), 5, 2)
