"""A filter and a conditional in the element of a comprehension."""

import jax


def columns(key, kinds, n):
    keys = jax.random.split(key, len(kinds))
    drawn = [
        jax.random.normal(k, (n,)) if kind == "real" else jax.random.randint(k, (n,), 0, 5)  # first
        for k, kind in zip(keys, kinds, strict=True)
        if kind != "skip"
    ]
    noise = [jax.random.uniform(k, (n,)) for k in keys]  # error: OLY104 certain
    return drawn, noise


def example():
    return columns(jax.random.key(0), ["real", "int"], 3)
