"""Two passes over one array of keys."""

import jax


def encode_decode(key, n):
    key, mask_key = jax.random.split(key)
    keys = jax.random.split(key, n)
    codes = []
    for k in keys:
        codes.append(jax.random.normal(k, (2,)))
    masks = []
    for k in jax.random.split(mask_key, n):
        masks.append(jax.random.bernoulli(k, 0.5, (2,)))
    return [code * mask for code, mask in zip(codes, masks, strict=True)]


def example():
    return encode_decode(jax.random.key(8), 3)
