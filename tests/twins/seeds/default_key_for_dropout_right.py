"""A default key that nothing is seen to draw from: the layer that may take it is left out by default."""

import jax


class Block:
    def __init__(self, width, dropout=None):
        self.width, self.dropout = width, dropout

    def __call__(self, x, key=jax.random.key(0)):
        key, subkey = jax.random.split(key)
        x = x * self.width
        if self.dropout is not None:
            x = self.dropout(x, key=subkey)
        return x


def example():
    return Block(2.0)(jax.numpy.ones(3), jax.random.key(1))
