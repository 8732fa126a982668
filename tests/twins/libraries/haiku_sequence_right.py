"""A sequence of keys, and a key of it that is used twice."""

import haiku as hk
import jax


def actors(seed, n):
    rngs = hk.PRNGSequence(seed)
    starts = [jax.random.uniform(next(rngs), (2,)) for _ in range(n)]
    noise = jax.random.normal(next(rngs), (n, 2))
    order = jax.random.permutation(next(rngs), n)
    return starts, noise[order]


def main():
    return actors(0, 2)
