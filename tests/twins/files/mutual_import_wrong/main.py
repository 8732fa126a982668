"""The program."""

from .leaf import bush


def example():
    return bush(0)
