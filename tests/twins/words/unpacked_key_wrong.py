"""Two keys by unpacking one."""

import jax


def init(seed, width):
    key = jax.random.PRNGKey(seed)
    key, layer_key = jax.random.split(key)
    w_key, b_key = layer_key  # error: OLY101 certain
    return key, jax.random.normal(layer_key, (width,)), w_key, b_key


def example():
    return init(0, 2)
