"""Rejection sampling with `while_loop`: the accepted try leaves its key in the carry."""

import jax
import jax.numpy as jnp


def sample_gamma(key, alpha):
    def undecided(state):
        _, x, accepted = state
        return ~accepted

    def attempt(state):
        key, _, _ = state
        proposal_key, accept_key = jax.random.split(key)  # error: OLY104 certain
        x = alpha * jax.random.exponential(proposal_key)
        accepted = jax.random.uniform(accept_key) < jnp.exp(-x / alpha)
        return key, x, accepted

    _, x, _ = jax.lax.while_loop(undecided, attempt, (key, 0.0, False))
    return x


def example():
    return sample_gamma(jax.random.PRNGKey(0), 2.0)
