"""Batches for the training loop: order and noise."""

import jax
import numpy as np


def augment(key, images):
    brightness = jax.random.uniform(key, (len(images), 1), minval=-0.1, maxval=0.1)
    noise = 0.1 * jax.random.normal(key, images.shape)
    return images + brightness + noise


def augment_independently(key, images):
    brightness_key, noise_key = jax.random.split(key)
    brightness = jax.random.uniform(brightness_key, (len(images), 1), minval=-0.1, maxval=0.1)
    noise = 0.1 * jax.random.normal(noise_key, images.shape)
    return images + brightness + noise


def shuffled(key, examples):
    order_key, rest = jax.random.split(key)
    order = jax.random.permutation(order_key, len(examples))
    next_key = jax.random.key(rest[1])
    return examples[order], next_key


def shuffled_with_a_child(key, examples):
    order_key, next_key = jax.random.split(key)
    order = jax.random.permutation(order_key, len(examples))
    return examples[order], next_key
