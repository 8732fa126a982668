"""Keys of the lanes are used by two maps."""

import jax
import jax.numpy as jnp


def actor_critic_init(key, n_seeds, width):
    keys = jax.random.split(key, n_seeds)
    init = jax.vmap(lambda k: jax.random.normal(k, (width, width)))
    actor = init(keys)  # first
    critic = init(keys)  # error: OLY104 certain
    return jnp.stack([actor, critic])


def example():
    return actor_critic_init(jax.random.key(0), 3, 2)
