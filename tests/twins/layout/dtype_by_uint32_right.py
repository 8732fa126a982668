"""A raw key told from a typed one by its dtype, to wrap, to refuse or to keep it."""

import jax
import jax.numpy as jnp


def wrapped(rng):
    if isinstance(rng, jax.Array) and rng.dtype == jnp.uint32:
        rng = jax.random.wrap_key_data(rng)
    return jax.random.normal(rng)


def refused(rng):
    if rng.dtype == jnp.uint32:
        raise TypeError("a typed key is wanted")
    return jax.random.normal(rng)


def words(rng):
    assert jax.random.split(rng).shape
    return rng if rng.dtype == jnp.uint32 else jax.random.key_data(rng)


def unwrapped(rng):
    if not rng.dtype == jnp.uint32:
        return jax.random.key_data(rng)
    return rng


def as_typed(seed):
    key = jax.random.PRNGKey(seed)
    if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.wrap_key_data(key)
    return jax.random.normal(key)


def example():
    raw, one, two, three = jax.random.PRNGKey(0), *jax.random.split(jax.random.key(1), 3)
    return wrapped(raw), refused(one), words(two), unwrapped(three), as_typed(2)
