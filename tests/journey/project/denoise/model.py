"""A network of dense layers with dropout."""

import jax
import jax.numpy as jnp


def init(key, sizes):
    """Return random weights for layers of these sizes."""
    params = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        key, layer_key = jax.random.split(key)
        weights = jax.random.normal(key, (inputs, outputs)) / jnp.sqrt(inputs)
        params.append({"weights": weights, "bias": jnp.zeros(outputs)})
    return params


def init_ensemble(key, sizes, members):
    """Return the weights of several networks, stacked."""
    keys = jax.random.split(key, members)
    return jax.vmap(lambda member_key: init(member_key, sizes))(keys)


def dropout(key, x, rate=0.1):
    """Set a random part of `x` to zero."""
    kept = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(kept, x / (1 - rate), 0.0)


def apply(params, x, key=None):
    """Return the output of the network, with dropout if a key is given."""
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["weights"] + layer["bias"])
        if key is not None:
            key, dropout_key = jax.random.split(key)
            x = dropout(dropout_key, x)
    return x @ params[-1]["weights"] + params[-1]["bias"]
