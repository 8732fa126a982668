"""One key or a batch of them, told by the number of axes."""

import jax


def sample(key, shape):
    if key.ndim == 1:  # error: OLY202 likely
        return jax.random.normal(key, shape)
    return jax.vmap(lambda k: jax.random.normal(k, shape))(key)


def draw(seed):
    return sample(jax.random.PRNGKey(seed), (2,))


def example():
    return draw(0)
