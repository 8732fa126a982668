"""Keys of the lanes are used by two maps."""

import jax
import jax.numpy as jnp


def actor_critic_init(key, n_seeds, width):
    key, critic_key = jax.random.split(key)
    keys = jax.random.split(key, n_seeds)
    init = jax.vmap(lambda k: jax.random.normal(k, (width, width)))
    actor = init(keys)
    critic = init(jax.random.split(critic_key, n_seeds))
    return jnp.stack([actor, critic])


def example():
    return actor_critic_init(jax.random.key(0), 3, 2)
