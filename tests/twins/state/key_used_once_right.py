"""A wrapper that hands its key out once: a second use raises, in a method that each other method calls first."""

import jax


class OnceKey:
    def __init__(self, key):
        self._key = key
        self._used = False

    def _check(self):
        if self._used:
            raise RuntimeError("this key was used before")

    def get(self):
        self._check()
        self._used = True
        return self._key

    def split(self, num):
        self._check()
        self._used = True
        return [OnceKey(child) for child in jax.random.split(self._key, num)]


def example():
    first, second = OnceKey(jax.random.key(0)).split(2)
    return jax.random.normal(first.get(), (3,)), jax.random.normal(second.get(), (3,))
