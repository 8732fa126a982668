"""Keys by constant indices, all of them within the array; a loop of unknown length stays within it, too."""

import jax


def draws(key):
    keys = jax.random.split(key, 3)
    position = jax.random.normal(keys[1])
    velocity = jax.random.normal(keys[2])
    return position, velocity


def shifted(key):
    keys = jax.random.split(key, 4)
    return [jax.random.normal(keys[i + 1]) for i in range(3)]


def some(key, count):
    keys = jax.random.split(key, 1)
    return [jax.random.normal(keys[i]) for i in range(count)]


def main():
    position, velocity = draws(jax.random.key(0))
    assert position != velocity
    assert len(set(map(float, shifted(jax.random.key(0))))) == 3
    assert len(some(jax.random.key(0), 1)) == 1
