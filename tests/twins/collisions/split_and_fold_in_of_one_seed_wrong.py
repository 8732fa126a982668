"""Warm-up splits a key of the seed, and sampling folds the number of the chain into another key of that seed."""

import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self, seed):
        self.seed = seed

    def chain_keys(self, n):
        key = jax.random.key(int(self.seed))
        return jax.vmap(lambda i: jax.random.fold_in(key, i))(jnp.arange(n))

    def warm_up(self, n):
        keys = jax.random.split(jax.random.key(self.seed), n)
        return jax.vmap(jax.random.normal)(keys)

    def run(self, n):
        starts = self.warm_up(n)  # first
        return starts, jax.vmap(jax.random.normal)(self.chain_keys(n))  # error: OLY108 likely


def main():
    starts, drawn = Sampler(0).run(3)
    assert (starts == drawn).all()
