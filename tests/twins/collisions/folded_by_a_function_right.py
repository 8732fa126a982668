"""One function derives a child by its number, another one splits a key of its own."""

import jax


class Sampler:
    def start(self, key):
        key, noise_key = jax.random.split(key)
        return jax.random.normal(noise_key), key


class Buffer:
    def __init__(self, inner: Sampler):
        self.inner = inner

    def start(self, key):
        state = self.inner.start(jax.random.fold_in(key, 0))
        return state, jax.random.fold_in(key, 1)


def child(key, number):
    return jax.random.fold_in(key, number)


def draws(key):
    a_key, b_key, other_key = jax.random.split(key, 3)
    c_key = child(other_key, 1)
    return jax.random.normal(a_key), jax.random.normal(b_key), jax.random.normal(c_key)


def main():
    a, b, c = draws(jax.random.key(0))
    assert len({float(a), float(b), float(c)}) == 3
    (noise, _), key = Buffer(Sampler()).start(jax.random.key(0))
    assert noise != jax.random.normal(key)
