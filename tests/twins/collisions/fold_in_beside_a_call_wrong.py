"""A solver gives its key to a function, and folds the number of the step into the same key for the next calls."""

import jax
import jax.numpy as jnp


def solve(f, x, key):
    steps = [f(x, key)]  # first
    for i in range(2):
        steps.append(f(x, jax.random.fold_in(key, i)))  # error: OLY108 certain
    return steps


class Buffer:
    def __init__(self, inner):
        self.inner = inner

    def start(self, key):
        state = self.inner.start(key)  # first
        return state, jax.random.fold_in(key, 1)  # error: OLY108 likely


class Source:
    def start(self, key):
        return jax.random.split(key)


def main():
    def noise(x, key):
        a, b = jax.random.split(key)
        return x + jax.random.normal(a, x.shape), b

    steps = solve(noise, jnp.zeros(3), jax.random.key(0))
    assert (
        jax.random.key_data(steps[0][1]).tolist()
        == jax.random.key_data(jax.random.fold_in(jax.random.key(0), 1)).tolist()
    )
    state, key = Buffer(Source()).start(jax.random.key(0))
    assert (jax.random.key_data(state[1]) == jax.random.key_data(key)).all()
