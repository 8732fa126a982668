"""A layer that is called on the rows of a batch with one key: each row gets the same noise."""

import jax
import jax.numpy as jnp


class Noise:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, row, key):
        return row + self.scale * jax.random.normal(key, row.shape)  # first


def forward(rows, key):
    noise = Noise(0.1)
    return jax.vmap(lambda row: noise(row, key))(rows)  # error: OLY105 likely


def example():
    return forward(jnp.zeros((3, 4)), jax.random.key(0))


def main():
    rows = example()
    assert bool(jnp.all(rows[0] == rows[1]))
