"""One layer for each input: each leaf is a layer of its own kind, and none of these draws."""

import jax
import jax.numpy as jnp


class Flat:
    def __call__(self, x, *, key=None):
        return x.reshape(-1)


class Scaled:
    def __call__(self, x, *, key=None):
        return 2 * x


def embed(layers, inputs, seed):
    key = jax.random.key(seed)
    return jax.tree.map(lambda layer, x: layer(x, key=key), layers, inputs)


def example():
    return embed({"image": Flat(), "state": Scaled()}, {"image": jnp.ones((2, 2)), "state": jnp.ones(3)}, 0)
