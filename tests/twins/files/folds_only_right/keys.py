"""Keys by name."""

import zlib

import jax


def named(key, name):
    return jax.random.fold_in(key, zlib.crc32(name.encode()))


def spend(key):
    return jax.random.split(key)[0]
