"""A kernel whose state another module defines."""

import jax
import jax.numpy as jnp

from . import library


class Kernel:
    def sample(self, state):
        x, accepted, rng_key = state
        rng_key, _ = jax.random.split(rng_key)
        new = library.proposal(rng_key, x)  # first
        return library.SamplerState(new, accepted + 1, rng_key)  # error: OLY104 likely


def main():
    state = Kernel().sample(library.SamplerState(jnp.zeros(3), 0, jax.random.key(0)))
    repeats = (jax.random.normal(state.rng_key, (3,)) == state.x).all()
    assert repeats
    return Kernel().sample(state)
