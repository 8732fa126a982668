"""A call that forgets an argument, so that names stand where the key belongs, in every step of a scan."""

from collections.abc import Sequence

import jax


def step(state, batch, key, fields: Sequence[str] = ()):
    noise = jax.random.normal(key, state.shape)
    return state + noise, [batch] * len(fields)


def rollout(state, key, fields: Sequence[str] = ()):
    def one(carry, _):
        state, key = carry
        next_key, key = jax.random.split(key)
        state, out = step(state, key, fields)  # error: OLY109 likely
        return (state, next_key), out

    return jax.lax.scan(one, (state, key), length=3)


def example():
    try:
        return rollout(jax.numpy.zeros(2), jax.random.key(0))
    except TypeError:
        return jax.numpy.zeros(2)
