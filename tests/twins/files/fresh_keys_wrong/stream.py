"""A stream of keys as an object."""

import jax


class Stream:
    def __init__(self, seed):
        self._key = jax.random.key(seed)

    def next(self):
        self._key, key = jax.random.split(self._key)
        return key

    def peek(self):
        return self._key
