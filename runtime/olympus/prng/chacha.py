"""ChaCha, the stream cipher of RFC 8439, as a generator for JAX's keys: 256-bit keys, 20, 12 or 8 rounds.

A key is the eight words of a ChaCha key. Every function reads words of the cipher's keystream under that key, and the
first word of the nonce says what they are for (``Use``); the other two are zero. No block, that is no key, nonce and
counter, ever serves two purposes: children of ``split`` have nothing to do with keys from ``fold_in`` or with the bits
of the key, nor bits of one width with those of another.

The block counter is the number of the block in the keystream of one use, or the data of ``fold_in``. It has 32 bits.
Past the last block ChaCha would begin anew, so that one call that needs more than 2**32 blocks (256 GiB) is refused.

The words come in the order of RFC 8439, little-endian: a draw is a prefix of a longer draw with the same key, and
``split`` into few keys is a prefix of ``split`` into more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from enum import Enum, IntEnum
from functools import cache
from inspect import getfullargspec
from typing import TYPE_CHECKING, Any

from olympus.prng.contract import Functions
from olympus.prng.registry import add

if TYPE_CHECKING:
    from jax import Array

KEY_WORDS = 8
BLOCK_WORDS = 16
CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)  # "expand 32-byte k", RFC 8439 section 2.3


class Use(IntEnum):
    """What blocks are for: the first word of the nonce. Bits have their width."""

    SEED = 0
    SPLIT = 1
    FOLD_IN = 2
    BITS_8 = 8
    BITS_16 = 16
    BITS_32 = 32
    BITS_64 = 64


class ChaCha(Enum):
    """The generators, by their number of rounds.

    JAX tells key dtypes apart by the generator's functions. Methods of an enumeration's members stay equal to
    themselves through pickling and copying of keys, and the three generators share them.
    """

    CHACHA8 = 8
    CHACHA12 = 12
    CHACHA20 = 20

    def seed(self, seed: Array) -> Array:
        """Return the key of an integer: ``uint32[8]``.

        Raises:
            TypeError: the seed is not an integer.
        """
        return compiled(_seed)(seed, rounds=self.value)

    def split(self, key: Array, shape: tuple[int, ...]) -> Array:
        """Return new keys: ``uint32[*shape, 8]``."""
        return compiled(_split)(key, shape=tuple(shape), rounds=self.value)

    def fold_in(self, key: Array, data: Array) -> Array:
        """Return the key for a ``uint32``: ``uint32[8]``."""
        return compiled(_fold_in)(key, data, rounds=self.value)

    def random_bits(self, key: Array, bit_width: int, shape: tuple[int, ...]) -> Array:
        """Return unsigned integers of 8, 16, 32 or 64 bits in an array of a shape."""
        return compiled(_random_bits)(key, bit_width=bit_width, shape=tuple(shape), rounds=self.value)


def register(name: str) -> Hashable:
    """Add the generator ``chacha8``, ``chacha12`` or ``chacha20`` to the registry."""
    chacha = ChaCha[name.upper()]
    return add(name, (KEY_WORDS,), Functions(chacha.seed, chacha.split, chacha.random_bits, chacha.fold_in))


@cache
def compiled(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function under ``jit``, with static keywords: outside, JAX would run it operation by operation."""
    import jax

    return jax.jit(function, static_argnames=getfullargspec(function).kwonlyargs)


def quarter_rounds(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array, Array, Array]:
    """Do a quarter round (RFC 8439 section 2.1) in every column of the rows of the state."""
    a = a + b
    d = rotate(d ^ a, 16)
    c = c + d
    b = rotate(b ^ c, 12)
    a = a + b
    d = rotate(d ^ a, 8)
    c = c + d
    return a, rotate(b ^ c, 7), c, d


def rotate(words: Array, by: int) -> Array:
    """Rotate the bits of ``uint32`` words to the left."""
    return (words << by) | (words >> (32 - by))


def double_round(rows: tuple[Array, ...]) -> tuple[Array, ...]:
    """Do a column round and a diagonal round (RFC 8439 section 2.3) on the four rows of the state.

    Diagonals are columns once the rows are turned by 0, 1, 2 and 3 words.
    """
    import jax.numpy as jnp

    a, b, c, d = quarter_rounds(*rows)
    b, c, d = jnp.roll(b, -1, axis=-1), jnp.roll(c, -2, axis=-1), jnp.roll(d, -3, axis=-1)
    a, b, c, d = quarter_rounds(a, b, c, d)
    return a, jnp.roll(b, 1, axis=-1), jnp.roll(c, 2, axis=-1), jnp.roll(d, 3, axis=-1)


def blocks(key: Array, counter: Array, nonce: Any, rounds: int) -> Array:
    """Compute blocks of the keystream (RFC 8439 section 2.3; other numbers of rounds as in Bernstein's ChaCha, 2008).

    The program is small rather than fast on large arrays. One array for each of the 16 words instead of one for each
    row would make draws of millions twice as fast, and samplers take two to three times as long to compile.

    Args:
        key: ``uint32[8]``.
        counter: the numbers of the blocks, ``uint32[n]``.
        nonce: ``uint32[3]``, the last three words of the state.
        rounds: an even number.

    Returns:
        ``uint32[n, 16]``: the words of each block, of which the keystream has the bytes in little-endian order.
    """
    import jax.numpy as jnp
    from jax import lax

    # Under shard_map, what is carried through a loop has to vary over the same mesh axes before and after: zeros that
    # vary as the result will give every word that type. Elsewhere they cost nothing.
    zeros = (key[0] ^ counter) & 0
    words = [word | zeros for word in (*jnp.uint32(CONSTANTS), *key, counter, *jnp.asarray(nonce, jnp.uint32))]
    start = tuple(jnp.stack(words[row : row + 4], axis=-1) for row in range(0, BLOCK_WORDS, 4))
    mixed = lax.fori_loop(0, rounds // 2, lambda _, rows: double_round(rows), start)
    return jnp.concatenate([row + first for row, first in zip(mixed, start, strict=True)], axis=-1)


def keystream(key: Array, use: Use, words: int, rounds: int) -> Array:
    """Return the first words of the keystream of one use of a key, ``uint32[words]``.

    Raises:
        ValueError: there are not that many before the block counter begins anew.
    """
    import jax.numpy as jnp
    from jax import lax

    count = -(-words // BLOCK_WORDS)
    if count > 2**32:
        raise ValueError(
            f"ChaCha gives at most 2**36 words of 32 bits in one call, and {words} are asked for; "
            "split the key, and draw a part with each of the new keys."
        )
    counter = lax.iota(jnp.uint32, count)
    return blocks(key, counter, (use, 0, 0), rounds).reshape(-1)[:words]


def _seed(seed: Array, *, rounds: int) -> Array:
    import jax.numpy as jnp
    from jax import lax

    if not jnp.issubdtype(seed.dtype, jnp.integer):
        raise TypeError(f"the seed of a ChaCha key has to be an integer; got {seed.dtype}.")
    low = seed.astype(jnp.uint32)
    # As JAX's own generators do it: seeds up to 2**32 - 1 give the same key with and without 64-bit types.
    high = lax.shift_right_logical(seed, jnp.array(32, seed.dtype)).astype(jnp.uint32)
    key = jnp.zeros(KEY_WORDS, jnp.uint32).at[0].set(low).at[1].set(high)
    return keystream(key, Use.SEED, KEY_WORDS, rounds)


def _split(key: Array, *, shape: tuple[int, ...], rounds: int) -> Array:
    return keystream(key, Use.SPLIT, math.prod(shape) * KEY_WORDS, rounds).reshape(*shape, KEY_WORDS)


def _fold_in(key: Array, data: Array, *, rounds: int) -> Array:
    import jax.numpy as jnp

    counter = jnp.asarray(data, jnp.uint32).reshape(1)
    return blocks(key, counter, (Use.FOLD_IN, 0, 0), rounds)[0, :KEY_WORDS]


def _random_bits(key: Array, *, bit_width: int, shape: tuple[int, ...], rounds: int) -> Array:
    import jax.numpy as jnp

    size = math.prod(shape)
    words = keystream(key, Use(bit_width), -(-size * bit_width // 32), rounds)
    if bit_width == 64:
        low, high = words[::2].astype(jnp.uint64), words[1::2].astype(jnp.uint64)
        return ((high << 32) | low).reshape(shape)
    if bit_width < 32:
        shifts = jnp.arange(0, 32, bit_width, dtype=jnp.uint32)
        words = (words[:, None] >> shifts).astype(f"uint{bit_width}").reshape(-1)[:size]
    return words.reshape(shape)
