"""A program that takes the functions from a package that passes them on."""

from . import library


def main():
    one, two = library.parts(library.first(0))
    return library.noise(one) + library.noise(two)
