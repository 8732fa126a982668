"""Children that change places: the one that is kept was used."""

import jax


def noisy_steps(key, n):
    x = 0.0
    for _ in range(n):
        step_key, key = jax.random.split(key)
        x = x + jax.random.normal(key)  # first
        key, _ = jax.random.split(key)  # error: OLY104 certain
    return x


def example():
    return noisy_steps(jax.random.key(0), 2)
