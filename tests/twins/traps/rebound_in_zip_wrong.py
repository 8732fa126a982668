"""Names that a loop rebinds are other keys in each turn."""

import jax
import jax.numpy as jnp


def augment(key, images, crops):
    out = []
    for key, image in zip(jax.random.split(key, len(images)), images, strict=True):
        crop_key, flip_key = jax.random.split(key)
        row = jax.random.randint(crop_key, (), 0, crops)  # first
        flip = jax.random.bernoulli(crop_key)  # error: OLY104 certain
        image = jnp.roll(image, row, axis=0)
        out.append(jnp.where(flip, image[:, ::-1], image))
    return jnp.stack(out)


def example():
    return augment(jax.random.key(0), jnp.ones((2, 3, 3)), 2)
