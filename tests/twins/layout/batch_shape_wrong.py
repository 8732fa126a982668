"""The shape of a batch of environments, from the keys that reset them."""

import jax
import jax.numpy as jnp


def reset(seed, n_envs):
    rng = jax.random.split(jax.random.PRNGKey(seed), n_envs)
    position = jax.vmap(lambda k: jax.random.uniform(k, (2,)))(rng)
    steps = jnp.zeros(rng.shape[:-1])  # error: OLY202 certain
    return position, steps


def example():
    return reset(0, 3)
