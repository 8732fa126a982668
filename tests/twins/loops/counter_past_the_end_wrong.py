"""Layers take keys by a counter that runs past the end of a split: JAX takes the last key for all of them."""

import jax


def layers(key, levels):
    keys = jax.random.split(key)
    first = jax.random.normal(keys[0], (3,))
    return first, [jax.random.normal(keys[i], (3,)) for i in range(1, levels)]  # error: OLY104 likely


def blocks(key, sizes):
    keys = jax.random.split(key, 2 * len(sizes) + 2)
    out = []
    for i, size in enumerate(sizes):
        keys = jax.random.split(keys[2 * i + 1], 3)  # error: OLY104 likely
        out.append(jax.random.normal(keys[0], (size,)))
        out.append(jax.random.normal(keys[2 * i + 2], (size,)))  # first
    return out


def main():
    _, (one, two) = layers(jax.random.key(0), 3)
    assert (one == two).all()
    blocks(jax.random.key(0), [3, 4, 5])
