"""A scan over keys and data; the data's noise takes the key of all steps."""

import jax
import jax.numpy as jnp


def filter_particles(key, observations, n):
    def step(particles, inputs):
        step_key, observation = inputs
        move_key, pick_key = jax.random.split(step_key)
        particles = particles + jax.random.normal(move_key, (n,))  # first
        weights = -((particles - observation) ** 2)
        picks = jax.random.categorical(move_key, weights, shape=(n,))  # error: OLY104 certain
        return particles[picks], jnp.mean(particles)

    keys = jax.random.split(key, observations.shape[0])
    return jax.lax.scan(step, jnp.zeros(n), (keys, observations))[1]


def example():
    return filter_particles(jax.random.key(0), jnp.ones(3), 4)
