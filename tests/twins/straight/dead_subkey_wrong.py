"""Shuffle and flip images: the child that was made for the second draw is never used."""

import jax
import jax.numpy as jnp


def augment(rng, images):
    rng, flip_rng = jax.random.split(rng)
    order = jax.random.permutation(rng, images.shape[0])  # first
    flip = jax.random.bernoulli(rng, 0.5, (images.shape[0],))  # error: OLY104 certain
    images = images[order]
    return jnp.where(flip[:, None, None], images[:, :, ::-1], images)


def example():
    return augment(jax.random.PRNGKey(0), jnp.zeros((4, 8, 8)))
