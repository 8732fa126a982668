"""Layers that draw from one key: two in a list, and those of a list of networks."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Tail(eqx.Module):
    layers: list

    def __init__(self, size, *, key):
        self.layers = [eqx.nn.Linear(size, size, key=key), eqx.nn.Dropout(0.5), eqx.nn.Dropout(0.5)]

    def __call__(self, x, *, key):
        x = self.layers[1](self.layers[0](x, key=key), key=key)  # first
        return self.layers[2](x, key=key)  # error: OLY104 likely


class Networks(eqx.Module):
    layers: list

    def __init__(self, size, depth, *, key):
        keys = jax.random.split(key, depth)
        self.layers = [eqx.nn.Sequential([eqx.nn.Linear(size, size, key=key), eqx.nn.Dropout(0.5)]) for key in keys]

    def __call__(self, x, *, key):
        for layer in self.layers:
            x = layer(x, key=key)  # error: OLY104 likely
        return x


def example():
    first, second, third, last = jax.random.split(jax.random.key(0), 4)
    x = Tail(3, key=first)(jnp.ones(3), key=second)
    return Networks(3, 2, key=third)(x, key=last)
