"""A loop folds its counter into a key that a function has split before: the first turns get the children again."""

import jax
import jax.numpy as jnp


def residual(x, key):
    noise_key, drop_key = jax.random.split(key)
    noise = jax.random.normal(noise_key, x.shape)
    return x + noise * jax.random.bernoulli(drop_key, 0.5, x.shape)


def solve(x, key):
    first = residual(x, key)  # first

    def step(i, x):
        return x + residual(x, jax.random.fold_in(key, i))  # error: OLY108 certain

    return first, jax.lax.fori_loop(0, 3, step, x)


def chains(key, n):
    start_key, noise_key = jax.random.split(key)  # first
    start = jax.random.normal(start_key)
    keys = jax.vmap(lambda i: jax.random.fold_in(key, i))(jnp.arange(n))
    noise = jax.random.normal(noise_key)
    return start, noise, jax.vmap(jax.random.normal)(keys)  # error: OLY108 certain


def walk(key, n):
    def step(x, i):
        return x + jax.random.normal(jax.random.fold_in(key, i)), x  # first

    x, _ = jax.lax.scan(step, 0.0, jnp.arange(n))
    return x + residual(x, key)  # error: OLY108 certain


def main():
    start, noise, drawn = chains(jax.random.key(0), 3)
    assert (start, noise) == (drawn[0], drawn[1])
    solve(jnp.ones(3), jax.random.key(0))
    walk(jax.random.key(0), 3)
