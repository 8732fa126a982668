"""A key that a scan closes over is drawn from once more after the scan."""

import jax
import jax.numpy as jnp


def smooth(key, xs):

    def step(carry, inputs):
        i, x = inputs
        carry = 0.9 * carry + x * jax.random.normal(jax.random.fold_in(key, i))
        return carry, carry

    _, ys = jax.lax.scan(step, 0.0, (jnp.arange(xs.shape[0]), xs))
    noise = jax.random.normal(key, xs.shape)  # first
    return ys + noise + jax.random.uniform(key)  # error: OLY104 certain


def example():
    return smooth(jax.random.key(0), jnp.ones(3))
