"""The base of all environments."""

import jax


class Env:
    size = 2

    def reset(self, key):
        return jax.random.uniform(key, (self.size,))

    def describe(self, key):
        return f"{type(self).__name__} with {key}"
