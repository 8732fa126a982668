"""A training whose noise begins with the seed of the parameters."""

import jax

from .network import parameters


def train(steps, seed=3):
    layers = parameters([4, 4], seed)  # first
    key = jax.random.key(seed)  # first
    noise = []
    for _ in range(steps):
        key, noise_key = jax.random.split(key)  # error: OLY104 likely
        noise.append(jax.random.normal(noise_key, (4,)))
    return layers, noise


def main():
    layers, noise = train(2)
    assert jax.numpy.array_equal(layers[0], noise[0]) and jax.numpy.array_equal(layers[1], noise[1])
