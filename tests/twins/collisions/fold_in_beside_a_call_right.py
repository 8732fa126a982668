"""A solver gives one child of its key to a function, and folds the number of the step into another one."""

import jax
import jax.numpy as jnp


def solve(f, x, key):
    first_key, key = jax.random.split(key)
    steps = [f(x, first_key)]
    for i in range(2):
        steps.append(f(x, jax.random.fold_in(key, i)))
    return steps


def chain(f, x, key):
    for i in range(3):
        key = jax.random.fold_in(key, i)
        x = f(x, key)
    return x


def numbered(f, x, key):
    late = jax.random.fold_in(key, 100)
    return [f(x, key), f(x, late)]


def main():
    def noise(x, key):
        return x + jax.random.normal(key, x.shape)

    for function in (solve, chain, numbered):
        function(noise, jnp.zeros(3), jax.random.key(0))
