"""A default argument that is a sampler, and one that is a key."""

import jax


def init(shape, key=jax.random.PRNGKey(0), draw=jax.random.normal):  # error: OLY107 certain
    return 0.1 * draw(key, shape)


def example():
    return init((2, 2), jax.random.PRNGKey(1)) + init((2, 2), key=jax.random.PRNGKey(2), draw=jax.random.uniform)
