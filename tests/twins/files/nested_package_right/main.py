"""The program."""

import jax

from .models import MLP


def example():
    return MLP(jax.random.key(0), 2)(jax.numpy.ones(2))
