"""A property that advances the key each time it is read, and one that does not."""

import jax


class Stream:
    def __init__(self, seed):
        self._key = jax.random.key(seed)

    @property
    def key(self):
        return self._key


def draw(seed):
    stream = Stream(seed)
    a = jax.random.normal(stream.key)  # first
    b = jax.random.normal(stream.key)  # error: OLY104 certain
    return a + b


def example():
    return draw(0)
