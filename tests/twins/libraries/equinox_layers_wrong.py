"""An equinox module whose layers are made of one key."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    dropout: eqx.nn.Dropout

    def __init__(self, size, *, key):
        self.weight = jax.random.normal(key, (size, size))  # first
        self.bias = jax.random.normal(key, (size,))  # error: OLY104 certain
        self.dropout = eqx.nn.Dropout(0.1)

    def __call__(self, x, *, key):
        return self.dropout(jnp.tanh(self.weight @ x + self.bias), key=key)


def main():
    block = Block(3, key=jax.random.key(0))
    return block(jnp.ones(3), key=jax.random.key(1))
