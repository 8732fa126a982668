"""A property with a setter: the new key goes where the getter reads it."""

import jax


class Deviate:
    def __init__(self, key):
        self._key = key

    @property
    def key(self):
        return self._key

    @key.setter
    def key(self, key):
        self._key = key

    def draw(self):
        self.key, subkey = jax.random.split(self.key)
        return jax.random.normal(subkey)


def example():
    deviate = Deviate(jax.random.key(0))
    return deviate.draw(), deviate.draw()
