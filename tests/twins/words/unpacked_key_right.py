"""Two keys by unpacking one."""

import jax


def init(seed, width):
    key = jax.random.PRNGKey(seed)
    key, layer_key = jax.random.split(key)
    w_key, b_key = jax.random.split(layer_key)
    return key, jax.random.normal(w_key, (width,)), jax.random.normal(b_key, (width,))


def example():
    return init(0, 2)
