"""A variational autoencoder's loss: the latent sample and the dropout mask share a key."""

import jax
import jax.numpy as jnp


def encode(params, x):
    hidden = jnp.tanh(x @ params["enc"])
    mean, log_var = jnp.split(hidden, 2, axis=-1)
    return mean, log_var


def elbo(params, x, key):
    mean, log_var = encode(params, x)
    keep = jax.random.bernoulli(key, 0.9, x.shape)  # first
    noise = jax.random.normal(key, mean.shape)  # error: OLY104 certain
    latent = mean + jnp.exp(0.5 * log_var) * noise
    error = jnp.sum(keep * (latent @ params["dec"] - x) ** 2)
    divergence = -0.5 * jnp.sum(1 + log_var - mean**2 - jnp.exp(log_var))
    return error + divergence


def example():
    params = {"enc": jnp.ones((6, 4)), "dec": jnp.ones((2, 6))}
    return jax.grad(elbo)(params, jnp.ones((3, 6)), jax.random.key(1))
