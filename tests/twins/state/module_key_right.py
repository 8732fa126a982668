"""A key of the module: every call of the function draws from it."""

import jax

KEY = jax.random.PRNGKey(17)
DATA_KEY, MODEL_KEY, NOISE_KEY = jax.random.split(KEY, 3)

data = jax.random.normal(DATA_KEY, (8, 2))
weights = jax.random.normal(MODEL_KEY, (2,))
targets = data @ weights + 0.1 * jax.random.normal(NOISE_KEY, (8,))


def example():
    return targets
