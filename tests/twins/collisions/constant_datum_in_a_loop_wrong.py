"""A salt folded in at every pass instead of the index."""

import jax


def layers(key, sizes, salt):
    weights = []
    for i, size in enumerate(sizes):
        layer_key = jax.random.fold_in(key, salt)  # error: OLY108 certain
        weights.append(jax.random.normal(layer_key, (size, i + 1)))
    return weights


def example():
    return layers(jax.random.key(0), [2, 3], 17)
