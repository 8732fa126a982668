"""All streams of a dictionary, gone through twice."""

import jax


def masks_and_noise(rngs, shape):
    pairs = {name: jax.random.split(rng) for name, rng in rngs.items()}
    masks = {name: jax.random.bernoulli(pair[0], 0.5, shape) for name, pair in pairs.items()}
    noise = {name: jax.random.normal(pair[1], shape) for name, pair in pairs.items()}
    return masks, noise


def example():
    a, b = jax.random.split(jax.random.key(0))
    return masks_and_noise({"a": a, "b": b}, (2,))
