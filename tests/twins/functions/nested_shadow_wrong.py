"""An inner function whose parameter has the name of the outer key."""

import jax


def simulate(key, n):
    key, start_key = jax.random.split(key)

    def path(key, x):
        for k in jax.random.split(key, 3):
            x = x + jax.random.normal(k)
        return x

    starts = jax.random.uniform(start_key, (n,))
    ends = jax.vmap(path)(jax.random.split(key, n), starts)  # first
    return ends + jax.random.normal(key, (n,))  # error: OLY104 certain


def example():
    return simulate(jax.random.key(0), 3)
