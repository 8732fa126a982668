"""A function puts the next key beside the one that it used."""

import jax


def draw(box):
    box[1], subkey = jax.random.split(box[0])
    return box, jax.random.normal(subkey)


def main():
    box = [jax.random.key(0), None]
    box, a = draw(box)  # first
    box, b = draw(box)  # error: OLY104 certain
    return a, b
