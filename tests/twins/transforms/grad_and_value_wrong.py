"""One batch of noise for the loss, and the same key again for the update."""

import jax
import jax.numpy as jnp


def denoising_loss(params, x, key):
    time_key, noise_key = jax.random.split(key)
    t = jax.random.uniform(time_key, (x.shape[0], 1))
    noise = jax.random.normal(noise_key, x.shape)
    noisy = jnp.sqrt(1 - t) * x + jnp.sqrt(t) * noise
    return jnp.mean((noisy @ params - noise) ** 2)


@jax.jit
def train_step(params, x, key):
    loss, grads = jax.value_and_grad(denoising_loss)(params, x, key)  # first
    params = params - 0.1 * grads + 1e-4 * jax.random.normal(key, params.shape)  # error: OLY104 certain
    return params, loss


def example():
    return train_step(jnp.eye(3), jnp.ones((2, 3)), jax.random.key(1))
