"""Arguments that go through `**kwargs`."""

import jax


def draw(shape, *, key, scale=1.0):
    return scale * jax.random.normal(key, shape)


def several(key, shape):
    options = {"key": key, "scale": 2.0}
    wide = draw(shape, **options)  # first
    narrow = draw(shape, key=key)  # error: OLY104 certain
    return wide + narrow


def example():
    return several(jax.random.key(0), (2,))
