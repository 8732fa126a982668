"""Blocks in a list that a constructor fills: they draw nothing, at the rate of 0 that no maker raises."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Drop(eqx.Module):
    linear: eqx.nn.Linear
    rate: float = eqx.field(static=True)

    def __init__(self, size, rate=0.0, *, key):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.rate = rate

    def __call__(self, x, *, key=None):
        x = self.linear(x)
        if self.rate > 0 and key is not None:
            x = eqx.nn.Dropout(self.rate)(x, key=key)
        return x


class Tower(eqx.Module):
    blocks: list

    def __init__(self, size, depth, rate=0.0, *, key):
        self.blocks = [Drop(size, rate, key=each) for each in jax.random.split(key, depth)]

    def __call__(self, x, *, key):
        for i, block in enumerate(self.blocks):
            x = block(x, key=jax.random.fold_in(key, i))
        return x


class Lanes(eqx.Module):
    tower: Tower

    def __init__(self, size, *, key):
        self.tower = Tower(size, 2, key=key)

    def __call__(self, xs, *, key):
        return jax.vmap(lambda x: self.tower(x, key=key))(xs)


class Normed(eqx.Module):
    layers: list

    def __init__(self, size, *, key):
        self.layers = [eqx.nn.Linear(size, size, key=key), eqx.nn.LayerNorm(size)]

    def __call__(self, x, *, key):
        return self.layers[1](self.layers[0](x, key=key), key=key)


class Stack(eqx.Module):
    layers: list

    def __init__(self, size, depth, *, key):
        first, *others = jax.random.split(key, depth + 1)
        self.layers = [eqx.nn.Linear(size, size, key=first), eqx.nn.LayerNorm(size)]
        for each in others:
            self.layers.append(Normed(size, key=each))

    def __call__(self, x, *, key):
        x = self.layers[1](self.layers[0](x, key=key), key=key)
        for block in self.layers[2:]:
            x = block(x, key=key)
        return x


def example():
    first, second, third, last = jax.random.split(jax.random.key(0), 4)
    xs = Lanes(3, key=first)(jnp.ones((2, 3)), key=second)
    return Stack(3, 2, key=third)(xs[0], key=last)
