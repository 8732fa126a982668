"""Two dictionaries of keys that are made of one split."""

import jax


def init_pair(key, names):
    keys = jax.random.split(key, len(names))
    actor_keys = dict(zip(names, keys, strict=False))
    critic_keys = dict(zip(names, keys, strict=False))
    actor = {name: jax.random.normal(actor_keys[name], (2,)) for name in names}  # first
    critic = {name: jax.random.normal(critic_keys[name], (2,)) for name in names}  # error: OLY104 certain
    return actor, critic


def example():
    return init_pair(jax.random.key(0), ["hidden", "output"])
