"""One function derives a child by its number and another one splits: child 1 is handed out twice."""

import jax


class Sampler:
    def start(self, key):
        key, noise_key = jax.random.split(key)
        return jax.random.normal(noise_key), key


class Buffer:
    def __init__(self, inner: Sampler):
        self.inner = inner

    def start(self, key):
        state = self.inner.start(key)  # first
        return state, jax.random.fold_in(key, 1)  # error: OLY108 likely


def child(key, number):
    return jax.random.fold_in(key, number)


def draws(key):
    a_key, b_key = jax.random.split(key)  # first
    c_key = child(key, 1)
    return jax.random.normal(a_key), jax.random.normal(b_key), jax.random.normal(c_key)  # error: OLY108 certain


def main():
    _, b, c = draws(jax.random.key(0))
    assert b == c
    (noise, _), key = Buffer(Sampler()).start(jax.random.key(0))
    assert noise == jax.random.normal(key)
