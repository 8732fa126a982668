"""One split gives all keys."""

import jax


def start(config):
    params_key, data_key, noise_key = jax.random.split(jax.random.key(config["seed"]), 3)
    params = jax.random.normal(params_key, (3,))
    data = jax.random.normal(data_key, (3,))
    return params, data, jax.random.normal(noise_key, (3,))


def main():
    params, _, noise = start({"seed": 1})
    assert not jax.numpy.array_equal(params, noise)
