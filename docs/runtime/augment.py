"""A walk with noise: the function that the page on lineage draws. One key in it is consumed twice."""

import jax
from jax import random


def augment(key, image):
    """Return an image with noise, and what a crop, a walk and four flips are made of."""
    crop_key, noise_key = random.split(key)
    corner = random.randint(crop_key, (2,), 0, 8)

    def step(carry, _):
        key, step_key = random.split(carry)
        return key, random.normal(step_key)

    _, walk = jax.lax.scan(step, noise_key, length=10)
    flips = jax.vmap(random.bernoulli)(random.split(random.fold_in(key, 7), 4))
    return image + random.normal(noise_key, image.shape), corner, walk, flips
