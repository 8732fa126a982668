"""The split of the seed's key gives what its first split gave."""

import jax


def start(config):
    params_key, data_key = jax.random.split(jax.random.key(config["seed"]))  # first
    params = jax.random.normal(params_key, (3,))
    data = jax.random.normal(data_key, (3,))
    noise_key, _ = jax.random.split(jax.random.key(config["seed"]))  # error: OLY104 certain
    return params, data, jax.random.normal(noise_key, (3,))


def main():
    params, _, noise = start({"seed": 1})
    assert jax.numpy.array_equal(params, noise)
