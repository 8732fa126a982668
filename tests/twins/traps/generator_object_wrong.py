"""An object that keeps a key and advances it at each call is used again and again."""

import jax


class RandomStream:
    def __init__(self, seed):
        self._key = jax.random.key(seed)

    def __call__(self, n=None):
        self._key, *keys = jax.random.split(self._key, (n or 1) + 1)
        return keys if n else keys[0]


def make_weights(seed):
    rng = RandomStream(seed)
    a = jax.random.normal(rng(), (2,))
    key = rng()
    b = jax.random.normal(key, (2,))  # first
    c = jax.random.normal(key, (2,))  # error: OLY104 certain
    d, e = [jax.random.normal(key, (2,)) for key in rng(2)]
    return a + b + c + d + e


def example():
    return make_weights(0)
