"""Printing, asserting, moving and storing a key takes nothing from it."""

import logging

import jax

logger = logging.getLogger(__name__)


def checked_noise(key, shape, history):
    assert key is not None
    logger.info("noise of shape %s from %s", shape, key)
    history.append(key)
    history[-1] = jax.device_put(key)
    jax.debug.print("{}", jax.random.key_data(key))
    length = len(shape), isinstance(key, jax.Array), key.shape
    noise = jax.random.normal(key, shape)  # first
    return noise + jax.random.uniform(key, shape), length  # error: OLY104 certain


def example():
    return checked_noise(jax.random.key(0), (2,), [])[0]
