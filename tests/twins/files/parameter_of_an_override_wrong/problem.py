"""A problem that draws its own starts."""

import jax


class Problem:
    def __init__(self, size):
        self.size = size
        self.key = None

    def begin(self, key):
        self.key = key

    def start(self):
        self.key, start_key = jax.random.split(self.key)
        return jax.random.normal(start_key, (self.size,))
