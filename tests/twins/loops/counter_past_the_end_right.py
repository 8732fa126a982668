"""Layers take keys by a counter, from a split that has one for each."""

import jax


def layers(key, levels):
    keys = jax.random.split(key, levels)
    first = jax.random.normal(keys[0], (3,))
    return first, [jax.random.normal(keys[i], (3,)) for i in range(1, levels)]


def blocks(key, sizes):
    keys = jax.random.split(key, len(sizes))
    out = []
    for i, size in enumerate(sizes):
        parts = jax.random.split(keys[i], 2)
        out += [jax.random.normal(parts[j % 2], (size,)) for j in range(2)]
    return out


def pairs(key, n):
    keys = jax.random.split(key)
    return [jax.random.normal(keys[i]) for i in range(n)]


def main():
    _, (one, two) = layers(jax.random.key(0), 3)
    assert not (one == two).any()
    blocks(jax.random.key(0), [3, 4, 5])
    pairs(jax.random.key(0), 2)
