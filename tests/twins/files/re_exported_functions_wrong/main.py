"""A program that takes the functions from a package that passes them on."""

from . import library


def main():
    key = library.first(0)
    one = library.noise(key)  # first
    return one + library.noise(key)  # error: OLY104 certain
