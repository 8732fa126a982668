"""Keys that functions of arrays select: each is the key that an index would give."""

import jax
import jax.numpy as jnp


def squeezed(key):
    keys = jax.random.split(key, 1)
    first = jax.random.normal(jnp.squeeze(keys))  # first
    return first + jax.random.normal(keys[0])  # error: OLY104 certain


def squeezed_by_method(key):
    keys = jax.random.split(key, 1)
    first = jax.random.normal(keys.squeeze())  # first
    return first + jax.random.normal(keys[0])  # error: OLY104 certain


def sliced(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.slice(keys, (0,), (2,)))  # first
    return first + jax.random.normal(keys[1])  # error: OLY104 certain


def sliced_in_dim(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.slice_in_dim(keys, 2, 4))  # first
    return first + jax.random.normal(keys[2])  # error: OLY104 certain


def sliced_dynamically(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.dynamic_slice_in_dim(keys, 3, 2))  # first
    return first + jax.random.normal(keys[2])  # error: OLY104 certain


def indexed(key):
    keys = jax.random.split(key, 4)
    first = jax.random.normal(jax.lax.index_in_dim(keys, 1, keepdims=False))  # first
    return first + jax.random.normal(keys[1])  # error: OLY104 certain


def divided(key):
    keys = jax.random.split(key, 4)
    one, two = jnp.split(keys, 2)
    first = jax.vmap(jax.random.normal)(two)  # first
    return first + jax.random.normal(keys[2]), one  # error: OLY104 certain


def flipped(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jnp.flip(keys, 0))  # first
    return first + jax.vmap(jax.random.normal)(keys)  # error: OLY104 certain


def flipped_with_its_words(key):
    keys = jax.random.split(key, 4)
    other = jax.vmap(jax.random.normal)(jnp.flip(keys))  # the words of raw keys change their places, too
    return other + jax.vmap(jax.random.normal)(keys)


def expanded(key):
    first = jax.random.normal(jnp.expand_dims(key, 0)[0])  # first
    return first + jax.random.normal(key)  # error: OLY104 certain


def main():
    draws = squeezed, squeezed_by_method, sliced, sliced_in_dim, sliced_dynamically, indexed, divided, flipped, expanded
    return [draw(key) for draw, key in zip(draws, jax.random.split(jax.random.key(0), len(draws)), strict=True)]
