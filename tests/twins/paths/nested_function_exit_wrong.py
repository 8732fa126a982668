"""An inner function that returns early does not end the outer one."""

import jax
import jax.numpy as jnp


def act(key, q, epsilon):

    def explore():
        if epsilon == 0.0:
            return jnp.argmax(q)
        return jax.random.randint(key, (), 0, q.shape[0])

    choice = explore()  # first
    return choice + 0.0 * jax.random.uniform(key)  # error: OLY104 certain


def example():
    return act(jax.random.key(0), jnp.arange(3.0), 0.1)
