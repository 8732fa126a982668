"""All streams of a dictionary, gone through twice."""

import jax


def masks_and_noise(rngs, shape):
    masks = {name: jax.random.bernoulli(rng, 0.5, shape) for name, rng in rngs.items()}  # first
    noise = {name: jax.random.normal(rng, shape) for name, rng in rngs.items()}  # error: OLY104 certain
    return masks, noise


def example():
    a, b = jax.random.split(jax.random.key(0))
    return masks_and_noise({"a": a, "b": b}, (2,))
