"""A path that raises goes no further."""

import jax
import jax.numpy as jnp


def sample_actions(key, policy, logits, strict):
    if policy == "stochastic":
        actions = jax.random.categorical(key, logits)  # first
        if strict:
            raise RuntimeError("stochastic actions are not allowed")
        scores = jnp.max(logits, axis=-1)
    else:
        actions, scores = jnp.argmax(logits, axis=-1), jnp.max(logits, axis=-1)
    if policy != "greedy":
        actions = jnp.where(jax.random.bernoulli(key, 0.1), 0, actions)  # error: OLY104 certain
    return actions, scores


def example():
    return sample_actions(jax.random.key(0), "stochastic", jnp.ones((3, 4)), False)
