"""A class and functions of the project that bear the names of JAX's."""

import jax


class PRNGKey:
    def __init__(self, label):
        self.label = label


def split(key, separator="/"):
    return key.label.split(separator)


def normal(key, scale):
    return scale * len(key.label)


def parameters(path, seed):
    key = PRNGKey(path)
    scope, name = split(key)
    _, again = split(key)
    total = normal(key, 1.0) + normal(key, 2.0)
    rng = jax.random.PRNGKey(seed)
    weight = jax.random.normal(rng, (2,))  # first
    bias = jax.random.normal(rng, (2,))  # error: OLY104 certain
    return {f"{scope}.{name}": weight, f"{scope}.{again}": bias + total}


def example():
    return parameters("encoder/kernel", 0)
