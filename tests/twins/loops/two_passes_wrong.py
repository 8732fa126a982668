"""Two passes over one array of keys."""

import jax


def encode_decode(key, n):
    keys = jax.random.split(key, n)
    codes = []
    for k in keys:
        codes.append(jax.random.normal(k, (2,)))  # first
    masks = []
    for k in keys:
        masks.append(jax.random.bernoulli(k, 0.5, (2,)))  # error: OLY104 certain
    return [code * mask for code, mask in zip(codes, masks, strict=True)]


def example():
    return encode_decode(jax.random.key(8), 3)
