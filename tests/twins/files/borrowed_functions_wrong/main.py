"""A program that names no library, only the functions of its own."""

from .library import first, noise


def main():
    rng = first(0)
    one = noise(rng)  # first
    return one + noise(rng)  # error: OLY104 certain
