"""A test of the loop's counter refreshes the key in some turns only."""

import jax


def noises(key, n):
    out = []
    for i in range(n):
        if i % 2 == 0:
            key, draw_key = jax.random.split(key)
        out.append(jax.random.normal(draw_key))  # error: OLY104 certain
    return out


def example():
    return noises(jax.random.key(0), 4)
