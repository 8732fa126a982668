"""The callee draws references of its own only if it is given none; the caller that keeps its key has made them."""

import jax
import jax.numpy as jnp


def references_of(key, samples):
    return jax.random.uniform(key, samples.shape)


def coverage(key, samples, references=None):
    if references is None:
        references = references_of(key, samples)
    return jnp.mean(samples < references)


def tarp(key, samples, references=None, bootstrap=False):
    if references is None and not bootstrap:
        references = references_of(key, samples)
    if references is not None:
        references = jnp.asarray(references)
    if not bootstrap:
        return coverage(key, samples, references)
    keys = jax.random.split(key, 10)
    return jnp.stack([coverage(each, samples) for each in keys])


def main():
    one, two, three = jax.random.split(jax.random.key(0), 3)
    return tarp(one, jnp.ones(3)), tarp(two, jnp.ones(3), jnp.zeros(3)), tarp(three, jnp.ones(3), bootstrap=True)
