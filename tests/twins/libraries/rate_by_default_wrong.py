"""Blocks whose rate is 0 by default get another one from their maker, and draw."""

import equinox as eqx
import jax


class Block(eqx.Module):
    linear: eqx.nn.Linear
    dropout: eqx.nn.Dropout

    def __init__(self, size, *, key, rate=0.0):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.dropout = eqx.nn.Dropout(rate)

    def __call__(self, x, key):
        return self.dropout(self.linear(x), key=key)


class Noise(eqx.Module):
    scale: float = 0.0

    def __call__(self, x, key):
        if self.scale > 0:
            return x + self.scale * jax.random.normal(key, x.shape)
        return x


class Stem(eqx.Module):
    block: Block
    noise: Noise

    def __init__(self, size, *, key):
        self.block = Block(size, key=key, rate=0.1)
        self.noise = Noise(0.1)

    def __call__(self, x, key):
        x = self.block(x, key)  # first
        return self.noise(x, key)  # error: OLY104 likely


class Model(eqx.Module):
    stem: Stem
    block: Block
    noise: Noise

    def __init__(self, size, *, key):
        stem_key, block_key = jax.random.split(key)
        self.stem = Stem(size, key=stem_key)
        self.block = Block(size, key=block_key, rate=0.1)
        self.noise = Noise(0)

    def __call__(self, x, key):
        x = self.stem(x, key)  # first
        return self.block(x, key)  # error: OLY104 likely


def smooth(x, key):
    noise = Noise(scale=0.1)
    x = noise(x, key)  # first
    return noise(x, key)  # error: OLY104 certain
