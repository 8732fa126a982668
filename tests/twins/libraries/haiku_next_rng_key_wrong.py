"""A haiku module: `next_rng_key` is fresh at each call."""

import haiku as hk
import jax
import jax.numpy as jnp


class Gaussian(hk.Module):
    def __call__(self, x):
        mean, log_scale = hk.Linear(2)(x), hk.Linear(2)(x)
        key = hk.next_rng_key()
        sample = mean + jnp.exp(log_scale) * jax.random.normal(key, mean.shape)  # first
        keep = jax.random.bernoulli(key, 0.9, mean.shape)  # error: OLY104 certain
        return jnp.where(keep, sample, 0.0)


def example():
    model = hk.transform(lambda x: Gaussian()(x))
    init_key, apply_key = jax.random.split(jax.random.key(0))
    x = jnp.ones((3, 4))
    return model.apply(model.init(init_key, x), apply_key, x)
