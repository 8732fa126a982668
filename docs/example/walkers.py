"""Random walks of many particles at once."""

import jax
import jax.numpy as jnp


def displacement(key):
    angle = jax.random.uniform(key, maxval=2 * jnp.pi)
    return jnp.stack([jnp.cos(angle), jnp.sin(angle)])


def start_pair(key):
    keys = jax.random.split(key, 2)
    return jax.vmap(displacement, in_axes=1)(keys)


def start_pair_by_key(key):
    keys = jax.random.split(key, 2)
    return jax.vmap(displacement)(keys)


def trajectory(key, positions, steps):
    start_key, walk_key = jax.random.split(key)
    positions = positions + jax.random.normal(start_key, positions.shape)
    for t in range(steps):
        keys = jax.random.split(walk_key + t, len(positions))
        positions = positions + jax.vmap(displacement)(keys)
    return positions


def trajectory_folded(key, positions, steps):
    start_key, walk_key = jax.random.split(key)
    positions = positions + jax.random.normal(start_key, positions.shape)
    for t in range(steps):
        keys = jax.random.split(jax.random.fold_in(walk_key, t), len(positions))
        positions = positions + jax.vmap(displacement)(keys)
    return positions
