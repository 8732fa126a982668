"""The key is given to each device as it is: all devices add the same noise."""

import functools

import jax
import jax.numpy as jnp


class Noise:
    def __call__(self, rows, key):
        return rows + jax.random.normal(key, rows.shape)  # first


def train(batches, seed):
    noise = Noise()
    key = jax.random.key(seed)

    @functools.partial(jax.pmap, axis_name="devices", in_axes=(0, None))
    def update(batch, key):
        return noise(batch, key)

    return update(batches, key)  # error: OLY105 likely


def example():
    return train(jnp.zeros((jax.local_device_count(), 4)), 0)


def main():
    one = example()[0]
    noise = jax.random.normal(jax.random.key(0), (4,))
    assert bool(jnp.all(one == noise))  # which says nothing of the device
