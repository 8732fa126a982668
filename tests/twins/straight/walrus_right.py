"""A key that is bound inside an expression."""

import jax


def jittered(seed, shape):
    base = jax.random.uniform((keys := jax.random.split(jax.random.key(seed)))[0], shape)
    return base + 0.1 * jax.random.normal(keys[1], shape)


def example():
    return jittered(4, (3,))
