"""A dataclass with a key: `replace` with a new key is the right end of a step."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Chain:
    key: jax.Array
    position: jax.Array
    step_size: float = 0.1


def metropolis(chain):
    key, move_key, accept_key = jax.random.split(chain.key, 3)
    proposal = chain.position + chain.step_size * jax.random.normal(move_key, chain.position.shape)
    accept = jax.random.uniform(accept_key) < jnp.exp(chain.position @ chain.position - proposal @ proposal)
    return replace(chain, key=key, position=jnp.where(accept, proposal, chain.position))


def two_steps_and_restart(seed):
    chain = Chain(jax.random.key(seed), jnp.zeros(2))
    moved = metropolis(chain)  # first
    moved = metropolis(moved)
    restart = jax.random.normal(chain.key, (2,))  # error: OLY104 certain
    return moved.position + restart


def example():
    return two_steps_and_restart(0)
