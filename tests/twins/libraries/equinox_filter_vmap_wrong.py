"""A batch through an equinox model: the keys of the batch are used for a second model."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Noisy(eqx.Module):
    scale: float

    def __call__(self, x, key):
        return x + self.scale * jax.random.normal(key, x.shape)


def pair(a, b, xs, key):
    keys = jax.random.split(key, xs.shape[0])
    first = jax.vmap(a)(xs, keys)  # first
    second = jax.vmap(b)(xs, keys)  # error: OLY104 likely
    return first, second


def example():
    return pair(Noisy(0.1), Noisy(0.2), jnp.ones((3, 2)), jax.random.key(0))
