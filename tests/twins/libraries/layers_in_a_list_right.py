"""Layers that draw nothing get one key, in a list that an object fills and in networks of them."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    layers: list
    head: eqx.nn.Sequential

    def __init__(self, size, norm, *, key):
        key, head_key = jax.random.split(key)
        self.layers = [eqx.nn.Linear(size, size, key=key), eqx.nn.LayerNorm(size) if norm else eqx.nn.Identity()]
        self.head = eqx.nn.Sequential([eqx.nn.Linear(size, 1, key=head_key), eqx.nn.Lambda(jax.nn.relu)])

    def __call__(self, x, *, key):
        for layer in self.layers:
            x = layer(x, key=key)
        return self.head(self.layers[0](x, key=key), key=key)


class Stack(eqx.Module):
    layers: list

    def __init__(self, size, depth, *, key):
        self.layers = []
        for i, each in enumerate(jax.random.split(key, depth)):
            linear = eqx.nn.Linear(size, size, key=each)
            self.layers.append(eqx.nn.Sequential([linear, eqx.nn.Dropout(0)]) if i < depth - 1 else linear)

    def __call__(self, x, *, key):
        for layer in self.layers:
            x = layer(x, key=key)
        return x


def example():
    first, second, third, last = jax.random.split(jax.random.key(0), 4)
    x = Block(3, True, key=first)(jnp.ones(3), key=second)
    return Stack(1, 2, key=third)(x, key=last)
