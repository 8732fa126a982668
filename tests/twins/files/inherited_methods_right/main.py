"""A class that inherits the method that draws from a class of another module."""

from .library import Sampler, first, parts


class Pair(Sampler):
    def both(self, key):
        one, two = parts(key)
        return self.draw(one) + self.draw(two)


def main():
    return Pair().both(first(0))
