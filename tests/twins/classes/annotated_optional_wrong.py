"""An optional parameter is annotated with a class, and called."""

import jax


class Noise:
    def __call__(self, key, x):
        return x + jax.random.normal(key, x.shape)


def blur(x, key, noise: "Noise | None" = None):
    if noise is None:
        return x
    x = noise(key, x)  # first
    return noise(key, x)  # error: OLY104 likely


def example():
    return blur(jax.numpy.ones(3), jax.random.key(0), Noise())
