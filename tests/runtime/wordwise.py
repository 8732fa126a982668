"""A generator for tests with keys of any number of words: a hash, without a claim to be a good one."""

from __future__ import annotations

import math
from typing import Any


def mix(words: Any) -> Any:
    """Mix the bits of ``uint32`` words: the finalizer of MurmurHash3."""
    import numpy as np

    words = (words ^ (words >> 16)) * np.uint32(0x85EBCA6B)
    words = (words ^ (words >> 13)) * np.uint32(0xC2B2AE35)
    return words ^ (words >> 16)


def wordwise(words: int) -> dict[str, Any]:
    """Return what ``register_prng_impl`` takes, but for the name."""
    import jax.numpy as jnp
    import numpy as np

    def numbered(key: Any, purpose: int, count: int) -> Any:
        state = mix(jnp.arange(count, dtype=jnp.uint32) * 8 + purpose)
        for word in key:
            state = mix(state ^ word) * np.uint32(0x9E3779B1)
        return state

    def seed(seed: Any) -> Any:
        return numbered([seed.astype(jnp.uint32)], 1, words)

    def split(key: Any, shape: tuple[int, ...]) -> Any:
        return numbered(key, 2, math.prod(shape) * words).reshape(*shape, words)

    def fold_in(key: Any, data: Any) -> Any:
        return numbered([*key, data], 3, words)

    def random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
        size = math.prod(shape)
        if bit_width == 64:
            halves = numbered(key, 4, 2 * size).astype(jnp.uint64).reshape(2, *shape)
            return (halves[0] << 32) | halves[1]
        return numbered(key, 5, size).astype(f"uint{bit_width}").reshape(shape)

    return {"key_shape": (words,), "seed": seed, "split": split, "fold_in": fold_in, "random_bits": random_bits}
