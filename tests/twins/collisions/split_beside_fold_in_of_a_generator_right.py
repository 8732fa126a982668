"""A generator is chosen that folds another way than it splits: `unsafe_rbg`."""

import jax


def init(seed, count):
    key = jax.random.key(seed, impl="unsafe_rbg")
    weights_key, bias_key = jax.random.split(key)
    noise_key = jax.random.fold_in(key, 1)
    last = jax.random.split(noise_key, count + 1)[count]
    return [jax.random.normal(each) for each in (weights_key, bias_key, last)]


def example():
    return init(0, 3)
