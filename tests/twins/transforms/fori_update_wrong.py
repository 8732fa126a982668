"""Gibbs sweeps with `fori_loop`."""

import jax
import jax.numpy as jnp


def gibbs(key, couplings, spins, sweeps):
    def sweep(i, spins):
        field = couplings @ spins
        draw = jax.random.uniform(key, spins.shape)  # error: OLY104 certain
        return jnp.where(draw < jax.nn.sigmoid(2 * field), 1.0, -1.0)

    return jax.lax.fori_loop(0, sweeps, sweep, spins)


def example():
    return gibbs(jax.random.key(0), jnp.eye(4), jnp.ones(4), 3)
