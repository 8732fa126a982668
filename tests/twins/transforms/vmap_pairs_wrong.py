"""A batch of pairs of keys: columns are children, rows are lanes."""

import jax


def reset_and_step(key, n_envs):
    keys = jax.vmap(jax.random.split)(jax.random.split(key, n_envs))
    reset_keys, step_keys = keys[:, 0], keys[:, 1]
    start = jax.vmap(lambda k: jax.random.uniform(k, (2,)))(reset_keys)  # first
    noise = jax.vmap(lambda k: jax.random.normal(k, (2,)))(reset_keys)  # error: OLY104 certain
    return start + noise


def example():
    return reset_and_step(jax.random.key(0), 3)
