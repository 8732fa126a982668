"""A loop folds its counter into a key of its own, or one that is past the children of the split."""

import jax
import jax.numpy as jnp


def residual(x, key):
    noise_key, drop_key = jax.random.split(key)
    noise = jax.random.normal(noise_key, x.shape)
    return x + noise * jax.random.bernoulli(drop_key, 0.5, x.shape)


def solve(x, key):
    first_key, key = jax.random.split(key)
    first = residual(x, first_key)

    def step(i, x):
        return x + residual(x, jax.random.fold_in(key, i))

    return first, jax.lax.fori_loop(0, 3, step, x)


def chains(key, n):
    start_key, noise_key, chain_key = jax.random.split(key, 3)
    keys = jax.vmap(lambda i: jax.random.fold_in(chain_key, i))(jnp.arange(n))
    return jax.random.normal(start_key), jax.random.normal(noise_key), jax.vmap(jax.random.normal)(keys)


def walk(key, n):
    def step(x, i):
        return x + jax.random.normal(jax.random.fold_in(key, i)), x

    x, _ = jax.lax.scan(step, 0.0, jnp.arange(2, 2 + n))
    return x + residual(x, key)


def main():
    start, noise, drawn = chains(jax.random.key(0), 3)
    assert start not in drawn and noise not in drawn
    solve(jnp.ones(3), jax.random.key(0))
    walk(jax.random.key(0), 3)
