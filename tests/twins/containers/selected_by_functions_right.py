"""Keys that functions of arrays select: each is the key that an index would give."""

import jax
import jax.numpy as jnp


def squeezed(key):
    keys = jax.random.split(key, 1)
    return jax.random.normal(jnp.squeeze(keys))


def squeezed_by_method(key):
    keys = jax.random.split(key, 1)
    return jax.random.normal(keys.squeeze())


def sliced(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.slice(keys, (0,), (2,)))
    return first + jax.random.normal(keys[2])


def sliced_in_dim(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.slice_in_dim(keys, 2, 4))
    return first + jax.random.normal(keys[1])


def sliced_dynamically(key):
    keys = jax.random.split(key, 4)
    first = jax.vmap(jax.random.normal)(jax.lax.dynamic_slice_in_dim(keys, 3, 2))
    return first + jax.random.normal(keys[1])


def indexed(key):
    keys = jax.random.split(key, 4)
    first = jax.random.normal(jax.lax.index_in_dim(keys, 1, keepdims=False))
    return first + jax.random.normal(keys[2])


def divided(key):
    keys = jax.random.split(key, 4)
    one, two = jnp.split(keys, 2)
    first = jax.vmap(jax.random.normal)(two)
    return first + jax.random.normal(keys[1]), one


def flipped(key):
    keys = jax.random.split(key, 4)
    return jax.vmap(jax.random.normal)(jnp.flip(keys, 0))


def flipped_with_its_words(key):
    keys = jax.random.split(key, 4)
    other = jax.vmap(jax.random.normal)(jnp.flip(keys))  # the words of raw keys change their places, too
    return other + jax.vmap(jax.random.normal)(keys)


def expanded(key):
    return jax.random.normal(jnp.expand_dims(key, 0)[0])


def main():
    draws = squeezed, squeezed_by_method, sliced, sliced_in_dim, sliced_dynamically, indexed, divided, flipped, expanded
    return [draw(key) for draw, key in zip(draws, jax.random.split(jax.random.key(0), len(draws)), strict=True)]
