"""A program that names no library, only the functions of its own."""

from .library import first, noise, parts


def main():
    one, two = parts(first(0))
    return noise(one) + noise(two)
