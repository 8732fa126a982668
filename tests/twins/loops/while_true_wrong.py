"""Draw until a point is inside the disc."""

import jax
import jax.numpy as jnp


def point_in_disc(key):
    while True:
        point = jax.random.uniform(key, (2,), minval=-1.0)  # error: OLY104 certain
        if float(jnp.sum(point**2)) <= 1.0:
            break
    return point


def main():
    return point_in_disc(jax.random.key(2))
