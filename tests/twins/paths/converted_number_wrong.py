"""A number that is converted before it is tested: both calls draw."""

import jax
import jax.numpy as jnp


def sample(key, logits, temperature):
    temperature = float(temperature)
    if temperature > 0:
        return jax.random.categorical(key, logits / temperature)
    return jnp.argmax(logits)


def example():
    key = jax.random.key(0)
    logits = jnp.zeros(1000)
    first = sample(key, logits, 1)  # first
    return [first, sample(key, logits, 1)]  # error: OLY104 certain
