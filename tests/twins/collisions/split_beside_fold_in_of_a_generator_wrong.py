"""A generator is chosen whose `split(key, n)[i]` is `fold_in(key, i)`, as it is with the default one."""

import jax


def init(seed, count):
    key = jax.random.key(seed, impl="rbg")
    weights_key, bias_key = jax.random.split(key)  # first
    noise_key = jax.random.fold_in(key, 1)  # error: OLY108 certain
    last = jax.random.split(noise_key, count + 1)[count]  # error: OLY108 certain
    return [jax.random.normal(each) for each in (weights_key, bias_key, last)]


def example():
    return init(0, 3)
