"""Greedy decoding returns early; sampling may then use the key."""

import jax
import jax.numpy as jnp


def next_token(logits, key, temperature, top_k):
    if temperature == 0.0:
        return jnp.argmax(logits, axis=-1)
    if top_k is not None:
        logits, tokens = jax.lax.top_k(logits, top_k)
        pick = jax.random.categorical(key, logits / temperature)  # first
        chosen = tokens[pick]
    fallback = jax.random.categorical(key, logits / temperature)  # error: OLY104 certain
    return fallback if top_k is None else chosen


def example():
    logits = jnp.arange(7.0)
    return next_token(logits, jax.random.key(0), 0.7, 3), next_token(logits, jax.random.key(1), 1.0, None)
