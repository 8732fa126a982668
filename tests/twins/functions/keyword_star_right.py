"""Arguments that go through `**kwargs`."""

import jax


def draw(shape, *, key, scale=1.0):
    return scale * jax.random.normal(key, shape)


def several(key, shape):
    options = {"key": jax.random.fold_in(key, 0), "scale": 2.0}
    wide = draw(shape, **options)
    narrow = draw(shape, key=jax.random.fold_in(key, 1))
    return wide + narrow


def example():
    return several(jax.random.key(0), (2,))
