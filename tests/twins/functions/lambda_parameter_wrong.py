"""Lambdas have keys of their own, unless they close over one."""

import jax


def bootstrap(key, data, n):
    mean = lambda key, data: data[jax.random.randint(key, data.shape, 0, data.shape[0])].mean()
    key, spread_key = jax.random.split(key)
    means = jax.vmap(mean, in_axes=(0, None))(jax.random.split(key, n), data)  # first
    jitter = lambda scale: scale * jax.random.normal(key, (n,))
    return means + jitter(0.01)  # error: OLY104 certain


def example():
    return bootstrap(jax.random.key(0), jax.numpy.arange(6.0), 4)
