"""A key of the module: every call of the function draws from it."""

import jax

KEY = jax.random.PRNGKey(17)
DATA_KEY, MODEL_KEY = jax.random.split(KEY)

data = jax.random.normal(DATA_KEY, (8, 2))
weights = jax.random.normal(MODEL_KEY, (2,))  # first
targets = data @ weights + 0.1 * jax.random.normal(MODEL_KEY, (8,))  # error: OLY104 certain


def example():
    return targets
