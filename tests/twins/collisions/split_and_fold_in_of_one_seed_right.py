"""Warm-up splits a key of the seed, and sampling folds the number of the chain into one of its children."""

import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self, seed):
        self.seed = seed

    def chain_keys(self, n):
        key = jax.random.fold_in(jax.random.key(int(self.seed)), n)
        return jax.vmap(lambda i: jax.random.fold_in(key, i))(jnp.arange(n))

    def warm_up(self, n):
        keys = jax.random.split(jax.random.key(self.seed), n)
        return jax.vmap(jax.random.normal)(keys)

    def run(self, n):
        starts = self.warm_up(n)
        return starts, jax.vmap(jax.random.normal)(self.chain_keys(n))


def main():
    starts, drawn = Sampler(0).run(3)
    assert not (starts == drawn).any()
