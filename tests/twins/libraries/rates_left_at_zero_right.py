"""Blocks split their key for layers whose rates their maker leaves at 0: none of them draws."""

import equinox as eqx
import jax
import jax.numpy as jnp


def kind_of(name):
    return {"linear": Attention}[name]


class Attention(eqx.Module):
    linear: eqx.nn.Linear
    dropout: eqx.nn.Dropout

    def __init__(self, size, *, rate, key):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.dropout = eqx.nn.Dropout(rate)

    def __call__(self, x, *, key):
        return self.dropout(self.linear(x), key=key)


class Block(eqx.Module):
    attention: eqx.Module
    drop: eqx.nn.Dropout

    def __init__(self, size, *, key, layer="linear", attention_rate=0.0, rate=0.0):
        self.attention = kind_of(layer)(size, rate=attention_rate, key=key)
        self.drop = eqx.nn.Dropout(float(rate))

    def __call__(self, x, key):
        first, second = jax.random.split(key)
        return self.drop(self.attention(x, key=first), key=second)


class Tower(eqx.Module):
    blocks: tuple[Block, ...]

    def __init__(self, size, depth, *, key):
        keys = jax.random.split(key, depth)
        self.blocks = tuple(Block(size, key=keys[i]) for i in range(depth))

    def __call__(self, x, key):
        for block in self.blocks:
            x = block(x, key=key)
        return x


def example():
    first, second = jax.random.split(jax.random.key(0))
    return Tower(3, 2, key=first)(jnp.ones(3), key=second)
