"""Generations of an evolution strategy: the inner scan gets fresh keys, the outer one keeps its key."""

import jax
import jax.numpy as jnp


def evolve(key, mean, generations, population):
    def generation(carry, _):
        key, mean = carry
        member_keys = jax.random.split(key, population)  # error: OLY104 certain

        def evaluate(best, member_key):
            candidate = mean + jax.random.normal(member_key, mean.shape)
            return jnp.where(jnp.sum(candidate**2) < jnp.sum(best**2), candidate, best), None

        best, _ = jax.lax.scan(evaluate, mean, member_keys)
        return (key, best), jnp.sum(best**2)

    return jax.lax.scan(generation, (key, mean), None, length=generations)[1]


def example():
    return evolve(jax.random.key(0), jnp.ones(3), 3, 4)
