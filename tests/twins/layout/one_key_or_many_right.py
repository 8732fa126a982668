"""One key or a batch of them, told by the number of axes."""

import jax


def sample(key, shape):
    if jax.random.key_data(key).ndim == 1:
        return jax.random.normal(key, shape)
    return jax.vmap(lambda k: jax.random.normal(k, shape))(key)


def one_or_none(rng):
    if rng.ndim == 0:
        return jax.random.normal(rng)
    return None


def draw(seed):
    return sample(jax.random.PRNGKey(seed), (2,))


def example():
    return draw(0)
