"""A property with a setter: the setter keeps the key that it was made with."""

import jax


class Deviate:
    def __init__(self, key):
        self._key = key

    @property
    def key(self):
        return self._key

    @key.setter
    def key(self, key):
        self._last = key

    def draw(self):
        self.key, subkey = jax.random.split(self.key)  # first
        return jax.random.normal(subkey)


def example():
    deviate = Deviate(jax.random.key(0))
    return deviate.draw(), deviate.draw()  # error: OLY104 certain
