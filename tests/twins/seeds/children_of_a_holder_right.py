"""A holder of a key that makes up a seed where it is given none; each layer is given a child of the key."""

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
    def __init__(self, width, rngs):
        keys = Keys(rngs.params())
        self.linear = nnx.Linear(width, width, rngs=nnx.Rngs(keys.next()))


def stack(depth, width, rngs):
    keys = Keys(rngs.params())
    return [Layer(width, nnx.Rngs(keys.next())) for _ in range(depth)]


def example():
    first, second = stack(2, 3, nnx.Rngs(0))
    return first.linear.kernel[...], second.linear.kernel[...]
