"""A problem that draws its own starts."""

import jax


class Problem:
    def __init__(self, size):
        self.size = size
        self.key = None

    def set_seed(self, seed):
        self.key = jax.random.key(seed)

    def start(self, key=None):
        if key is None:
            key, self.key = jax.random.split(self.key)
        return jax.random.normal(key, (self.size,))
