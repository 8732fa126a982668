"""A kernel permutes with a child of its state's key, and puts that child into the next state."""

from collections import namedtuple

import jax
import jax.numpy as jnp

State = namedtuple("State", ["x", "count", "rng_key"])


class Kernel:
    def __init__(self, shuffle):
        self.shuffle = shuffle

    def sample(self, state):
        x, count, rng_key = state
        rng_key, _ = jax.random.split(rng_key)
        if self.shuffle:
            x = jax.random.permutation(rng_key, x)  # first
        return State(x + 1, count + 1, rng_key)  # error: OLY104 likely


def main():
    kernel = Kernel(shuffle=True)
    state = kernel.sample(State(jnp.arange(9), 0, jax.random.key(0)))
    assert (jax.random.permutation(state.rng_key, jnp.arange(9)) + 1 == state.x).all()
    return kernel.sample(state)
