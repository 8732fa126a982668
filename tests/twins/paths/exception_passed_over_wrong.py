"""Noise that is left away if it is not finite; the next draw comes in any case."""

import jax
import numpy as np


def augmented(key, image):
    try:
        noise = jax.random.normal(key, image.shape)  # first
        if not np.isfinite(image + noise).all():
            raise FloatingPointError("not finite")
        image = image + noise
    except FloatingPointError:
        pass
    return image, jax.random.normal(key, image.shape)  # error: OLY104 certain


def main():
    image, rest = augmented(jax.random.key(0), np.zeros(3))
    assert np.array_equal(image, rest)
