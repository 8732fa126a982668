"""A small network with dropout, trained on random data."""

import jax
import jax.numpy as jnp


def initial_weights(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, shape) for k, shape in zip(keys, zip(sizes, sizes[1:]))]


def dropout(key, activations, rate=0.5):
    kept = jax.random.bernoulli(key, 1 - rate, activations.shape)
    return jnp.where(kept, activations / (1 - rate), 0.0)


def forward(key, weights, inputs):
    hidden = dropout(key, jax.nn.relu(inputs @ weights[0]))
    return dropout(key, hidden @ weights[1])


def forward_with_two_keys(key, weights, inputs):
    first, second = jax.random.split(key)
    hidden = dropout(first, jax.nn.relu(inputs @ weights[0]))
    return dropout(second, hidden @ weights[1])


def train(seed):
    weights_key, inputs_key, dropout_key = jax.random.split(jax.random.PRNGKey(seed), 3)
    weights = initial_weights(weights_key, (8, 32, 8))
    inputs = jax.random.normal(inputs_key, (64, 8))
    return forward_with_two_keys(dropout_key, weights, inputs)


def evaluate(seed, weights):
    inputs_key, dropout_key = jax.random.split(jax.random.key(seed))
    inputs = jax.random.normal(inputs_key, (64, 8))
    return forward_with_two_keys(dropout_key, weights, inputs)
