"""A function puts the next key into the list that it gets."""

import jax


def draw(box):
    box[0], subkey = jax.random.split(box[0])
    return box, jax.random.normal(subkey)


def main():
    box = [jax.random.key(0), None]
    box, a = draw(box)
    box, b = draw(box)
    return a, b
