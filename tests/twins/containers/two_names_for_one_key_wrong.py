"""Two names for one key."""

import jax


def init(seed):
    actor_key = critic_key = jax.random.key(seed)
    actor = jax.random.normal(actor_key, (2,))  # first
    critic = jax.random.normal(critic_key, (2,))  # error: OLY104 certain
    return actor, critic


def example():
    return init(0)
