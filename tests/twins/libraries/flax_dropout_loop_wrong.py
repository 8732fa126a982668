"""Training of a flax module: the dropout key of the first step serves for all of them."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        x = nn.Dense(4)(x)
        return nn.Dropout(0.5, deterministic=not train)(x)


def train(key, x, steps):
    model = MLP()
    key, init_key, dropout_key = jax.random.split(key, 3)
    params = model.init({"params": init_key, "dropout": dropout_key}, x)
    total = 0.0
    for step in range(steps):
        out = model.apply(params, x, rngs={"dropout": key})  # error: OLY104 likely
        total = total + jnp.sum(out)
    return total


def example():
    return train(jax.random.key(0), jnp.ones((2, 3)), 2)
