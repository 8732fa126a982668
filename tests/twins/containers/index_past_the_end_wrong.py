"""Keys by constant indices; an index past the end is that of the last key."""

import jax


def draws(key):
    keys = jax.random.split(key, 3)
    position = jax.random.normal(keys[2])  # first
    velocity = jax.random.normal(keys[3])  # error: OLY104 certain
    return position, velocity


def shifted(key):
    keys = jax.random.split(key, 3)
    return [jax.random.normal(keys[i + 1]) for i in range(3)]  # error: OLY104 certain


def main():
    position, velocity = draws(jax.random.key(0))
    assert position == velocity
    assert len(set(map(float, shifted(jax.random.key(0))))) == 2
