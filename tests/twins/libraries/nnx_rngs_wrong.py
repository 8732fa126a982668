"""An nnx module: streams of `Rngs` give a fresh key at each call."""

import jax
from flax import nnx


class Noise(nnx.Module):
    def __init__(self, size, *, rngs):
        self.scale = nnx.Param(jax.random.uniform(rngs.params(), (size,)))
        self.shift = nnx.Param(jax.random.uniform(rngs.params(), (size,)))
        key = rngs.params()
        self.first = nnx.Param(jax.random.normal(key, (size,)))  # first
        self.second = nnx.Param(jax.random.normal(key, (size,)))  # error: OLY104 certain

    def __call__(self, x):
        return self.scale * x + self.shift + self.first * self.second


def main():
    return Noise(2, rngs=nnx.Rngs(0))(1.0)
