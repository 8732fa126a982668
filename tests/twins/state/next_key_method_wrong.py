"""A method that hands out fresh keys, and one that hands out the same one."""

import jax


class Keys:
    def __init__(self, seed):
        self._key = jax.random.key(seed)

    def next(self):
        self._key, key = jax.random.split(self._key)
        return key


def init(seed):
    keys = Keys(seed)
    encoder = jax.random.normal(keys.next(), (3, 2))
    decoder_key = keys.next()
    decoder = jax.random.normal(decoder_key, (2, 3))  # first
    offset = jax.random.normal(decoder_key, (3,))  # error: OLY104 certain
    return encoder @ decoder + offset


def example():
    return init(0)
