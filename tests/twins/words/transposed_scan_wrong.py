"""Steps of chains: the transposition of raw keys mixes the words of different keys."""

import jax


def chain(seed, start, n):
    def step(x, key):
        x = x + jax.random.normal(key)
        return x, x

    keys = jax.random.split(jax.random.PRNGKey(seed), 2)
    return jax.lax.scan(step, start, keys.T)  # error: OLY103 certain


def example():
    return chain(0, 0.0, 3)
