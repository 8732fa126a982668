"""Blocks whose rate is 0, unless their maker gives another one, draw nothing."""

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
        self.block = Block(size, key=key)
        self.noise = Noise()

    def __call__(self, x, key):
        return self.noise(self.block(x, key), key)


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
        x = self.block(self.stem(x, key), key)
        return self.noise(x, key)


def smooth(x, key):
    noise = Noise()
    return noise(noise(x, key), key)
