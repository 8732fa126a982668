"""A model made of blocks whose rate its maker gives, or may give."""

import equinox as eqx
import jax
from .layers import Block


class Model(eqx.Module):
    first: Block
    second: Block

    def __init__(self, size, options, *, key):
        first_key, second_key = jax.random.split(key)
        self.first = Block(size, key=first_key, **options)
        self.second = Block(size, key=second_key, rate=0.1)

    def __call__(self, x, key):
        x = self.first(x, key)  # first
        return self.second(x, key)  # error: OLY104 likely
