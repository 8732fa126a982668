"""Operations that draw."""

import jax


def linear(key, width):
    return jax.random.normal(key, (width, width))
