"""Keys of the lanes that are done are replaced, lane by lane."""

import jax
import jax.numpy as jnp


def refresh(keys, done):
    fresh = jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys)
    return jax.vmap(jnp.where)(done, fresh, keys)


def example():
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    return refresh(keys, jnp.array([True, False, True]))
