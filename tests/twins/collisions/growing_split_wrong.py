"""A key for each step, taken from a split that grows with the step."""

import jax


def noise_at(key, step):
    step_key = jax.random.split(key, step + 1)[step]  # error: OLY108 certain
    return jax.random.normal(step_key, (2,))


def example():
    return noise_at(jax.random.PRNGKey(0), 4)
