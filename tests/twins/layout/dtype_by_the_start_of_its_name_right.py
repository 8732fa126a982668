"""A key told from numbers by how the names of the dtypes of all typed keys begin."""

import jax
import jax.numpy as jnp


def moved(leaf):
    if str(leaf.dtype).startswith("key<") and leaf.dtype.name.startswith("key") and "key<" in str(leaf.dtype):
        return jax.random.fold_in(leaf, 1)
    return jnp.add(leaf, 1)


def example():
    return [moved(jax.random.key(0, impl=impl)) for impl in ("threefry2x32", "rbg")]
