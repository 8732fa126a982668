"""A holder of a key that makes up a seed where it is given none; the holder, and so each layer, is given none."""

import jax
from flax import nnx


class Keys:
    def __init__(self, key):
        if key is None:
            key = 0
        if isinstance(key, int):
            key = jax.random.key(key)
        self._key = key

    def next(self):
        self._key, child = jax.random.split(self._key)
        return child


class Layer(nnx.Module):
    def __init__(self, width, key):
        keys = Keys(key)
        self.linear = nnx.Linear(width, width, rngs=nnx.Rngs(keys.next()))


def stack(depth, width, key=None):
    return [Layer(width, key) for _ in range(depth)]  # error: OLY104 likely


def example():
    first, second = stack(2, 3)
    return first.linear.kernel[...], second.linear.kernel[...]
