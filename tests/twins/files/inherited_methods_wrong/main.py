"""A class that inherits the method that draws from a class of another module."""

from .library import Sampler, first


class Pair(Sampler):
    def both(self, key):
        one = self.draw(key)  # first
        return one + self.draw(key)  # error: OLY104 certain


def main():
    return Pair().both(first(0))
