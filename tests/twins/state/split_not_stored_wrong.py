"""The split of an attribute that is not stored."""

import jax
import jax.numpy as jnp


class ReplayBuffer:
    def __init__(self, key, capacity):
        self.key = key
        self.data = jnp.zeros((capacity, 2))

    def sample(self, size):
        key, index_key, noise_key = jax.random.split(self.key, 3)  # error: OLY104 likely
        rows = jax.random.randint(index_key, (size,), 0, self.data.shape[0])
        return self.data[rows] + 1e-3 * jax.random.normal(noise_key, (size, 2))


def example():
    buffer = ReplayBuffer(jax.random.key(0), 8)
    return buffer.sample(2)
