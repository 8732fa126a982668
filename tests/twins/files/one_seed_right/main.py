"""A training whose noise begins with the seed of the parameters, and one."""

import jax

from .network import parameters


def train(steps, seed=3):
    layers = parameters([4, 4], seed)
    key = jax.random.key(seed + 1)
    noise = []
    for _ in range(steps):
        key, noise_key = jax.random.split(key)
        noise.append(jax.random.normal(noise_key, (4,)))
    return layers, noise


def main():
    layers, noise = train(2)
    assert not jax.numpy.array_equal(layers[0], noise[0])
