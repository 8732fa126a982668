"""A wrapper that means to hand its key out once: the method that is to look whether it was used looks at something else."""

import jax


class OnceKey:
    def __init__(self, key):
        self._key = key
        self._used = False
        self._closed = False

    def _check(self):
        if self._closed:
            raise RuntimeError("this key was used before")

    def split(self, num):
        self._check()
        self._used = True
        return list(jax.random.split(self._key, num))  # first


def example():
    keys = OnceKey(jax.random.key(0))
    first, second = keys.split(2)  # first
    again, _ = keys.split(2)  # error: OLY104 certain
    return [jax.random.normal(key, (3,)) for key in (first, second, again)]
