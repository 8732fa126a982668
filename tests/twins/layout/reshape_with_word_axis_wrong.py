"""Keys for devices and their lanes, with the buffer spelled out."""

import jax


def device_keys(seed, devices, lanes):
    keys = jax.random.split(jax.random.PRNGKey(seed), devices * lanes)
    keys = keys.reshape(devices, lanes, 2)  # error: OLY202 certain
    return jax.vmap(jax.vmap(jax.random.normal))(keys)


def example():
    return device_keys(0, 2, 3)
