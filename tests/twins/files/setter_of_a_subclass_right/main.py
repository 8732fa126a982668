"""The state is a constant, and is set for a key."""

import jax.numpy as jnp

from .chains import Chain


class Flat(Chain):
    def set_init_state(self, key, size):
        self.start = jnp.zeros(size)


def main():
    return Flat().run(0)
