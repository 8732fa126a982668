"""Two layers of a network draw their parameters from one key."""

import jax
import jax.numpy as jnp
from jax.example_libraries import stax

ACTIVATIONS = {"relu": stax.Relu, "tanh": stax.Tanh}


def block(size, activation="relu"):
    dense_init, dense_apply = stax.Dense(size)
    init_activation, activate = ACTIVATIONS[activation] if isinstance(activation, str) else activation

    def init(key, shape):
        keys = jax.random.split(key)
        shape, first = dense_init(keys[0], shape)  # first
        shape, second = dense_init(keys[0], shape)  # error: OLY104 likely
        shape, third = init_activation(keys[1], shape)
        return shape, (first, second, third)

    def apply(params, x):
        for each in params[:2]:
            x = dense_apply(each, x)
        return activate(params[2], x)

    return init, apply


def example():
    init, apply = block(3)
    _, params = init(jax.random.key(0), (3, 3))
    return apply(params, jnp.ones((3, 3)))
