"""A sequence of keys, and a key of it that is used twice."""

import haiku as hk
import jax


def actors(seed, n):
    rngs = hk.PRNGSequence(seed)
    starts = [jax.random.uniform(next(rngs), (2,)) for _ in range(n)]
    rng = next(rngs)
    noise = jax.random.normal(rng, (n, 2))  # first
    order = jax.random.permutation(rng, n)  # error: OLY104 certain
    return starts, noise[order]


def main():
    return actors(0, 2)
