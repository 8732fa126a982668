"""The words of concrete keys, and of keys that a compiled function derives of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from olympus.tracing import adapter

if TYPE_CHECKING:
    import numpy as np

    from olympus.recording.compiled import Plan

KEYS = 4096  # of which the children are kept
LARGEST = 2048  # keys: a larger array of keys counts as one key


def words_of(array: Any) -> np.ndarray[Any, Any]:
    """Return the words of all keys in an array, along its last axis."""
    import numpy as np

    return np.asarray(adapter.key_buffer(array))


def rows_of(array: Any) -> list[bytes]:
    """Return the words of each key in an array; those of too many keys as if they were one."""
    words = words_of(array)
    if words.size == 0:
        return []
    rows = words.reshape(-1, words.shape[-1]) if words.ndim else words.reshape(1, 1)
    return [row.tobytes() for row in rows] if len(rows) <= LARGEST else [words.tobytes()]


def words_inside(plan: Plan, number: int, dtype: Any, args: Sequence[Any]) -> bytes | None:
    """Return the words that a key has in one call of a compiled function, ``None`` if they cannot be told.

    Args:
        plan: what the function does with keys.
        number: the key's term.
        dtype: its key dtype.
        args: the arguments of the call, before it: it may be given their buffers to write into.
    """
    from olympus.recording.compiled import message, number_of

    place = plan.given(number, args)
    if place is not None:
        array, position = place
        own: bytes = words_of(array)[position].tobytes()
        return own
    operation, children, data = plan.identities[number]
    match operation, data:
        case "seed", (int(), ()):
            seed = number_of(plan.identities, children[0], args)
            return None if seed is None or not 0 <= seed < 2**31 else _seeded(dtype, seed)
        case "clone" | "fold_in" | "split", _:
            parent = words_inside(plan, children[0], dtype, args)
        case _:
            return None
    match operation, data:
        case "split", (tuple() as shape, int() as index, int()) if parent is not None and index >= 0:
            return _children(dtype, parent, shape)[index]
        case "fold_in", _ if parent is not None:
            folding = message(plan.identities, children[1], args)
            return None if folding is None else folded(dtype, parent, folding)
    return parent if operation == "clone" else None


def _key(dtype: Any, own: bytes) -> Any:
    import jax
    import numpy as np

    return jax.random.wrap_key_data(jax.numpy.asarray(np.frombuffer(own, np.uint32)), impl=adapter.key_spec(dtype))


@lru_cache(maxsize=KEYS)
def folded(dtype: Any, own: bytes, number: int) -> bytes:
    """Return the words of ``fold_in(key, number)``."""
    import jax
    import numpy as np

    return words_of(jax.random.fold_in(_key(dtype, own), np.uint32(number))).tobytes()


@lru_cache(maxsize=KEYS)
def _children(dtype: Any, own: bytes, shape: tuple[int, ...]) -> list[bytes]:
    """Return the words of the children of a split, one after the other."""
    import jax

    found = words_of(jax.random.split(_key(dtype, own), shape))
    return [row.tobytes() for row in found.reshape(-1, found.shape[-1])]


@lru_cache(maxsize=KEYS)
def _seeded(dtype: Any, seed: int) -> bytes:
    import jax

    return words_of(jax.random.key(seed, impl=adapter.key_spec(dtype))).tobytes()
