"""A call that gives each parameter its argument: the names stand where names belong."""

from collections.abc import Sequence

import jax


def step(state, batch, key, fields: Sequence[str] = ()):
    noise = jax.random.normal(key, state.shape)
    return state + noise, [batch] * len(fields)


def rollout(state, key, fields: Sequence[str] = ()):
    def one(carry, _):
        state, key = carry
        next_key, key = jax.random.split(key)
        state, out = step(state, 0.0, key, fields)
        return (state, next_key), out

    return jax.lax.scan(one, (state, key), length=3)


def example():
    return rollout(jax.numpy.zeros(2), jax.random.key(0))
