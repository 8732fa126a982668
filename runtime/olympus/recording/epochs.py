"""Which seeding a concrete key comes from: two programs that seed 0 have keys of equal words, and reuse nothing.

Each execution of a seed begins an *epoch*, and what is derived of its key belongs to it. Arrays are followed through
the operations that move them; a key that comes back another way, through NumPy or a file, is known by its words if
only one epoch has such a key.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any

from olympus.tracing.adapter import key_buffer

OUTSIDE = 0
"""The epoch of all keys that were made before the recording, or in a way that it does not see."""

MANY = 16  # epochs that one key's words are looked up in


class Epochs:
    """The epochs of one recording."""

    def __init__(self) -> None:
        self.numbers = itertools.count(OUTSIDE + 1)
        self.arrays: dict[int, tuple[weakref.ref[Any], frozenset[int]]] = {}
        self.words: dict[bytes, tuple[int, ...]] = {}

    def begin(self) -> int:
        """Return the number of a new epoch."""
        return next(self.numbers)

    def track(self, array: Any, epochs: frozenset[int]) -> None:
        """Say which epochs the keys in an array belong to."""
        buffer = key_buffer(array)
        number, arrays = id(buffer), self.arrays
        # The number of an array is given out again once it is gone.
        self.arrays[number] = weakref.ref(buffer, lambda _: arrays.pop(number, None)), epochs

    def of(self, array: Any) -> frozenset[int] | None:
        """Return the epochs of the keys in an array, ``None`` if it was not followed to here."""
        found = self.arrays.get(id(key_buffer(array)))
        return None if found is None else found[1]

    def born(self, words: bytes, epoch: int) -> None:
        """Note that an epoch has a key of these words."""
        known = self.words.get(words, ())
        if epoch not in known:
            self.words[words] = (*known[-MANY + 1 :], epoch)

    def resolve(self, array: Any, words: bytes) -> int | None:
        """Return the epoch of a key in an array, ``None`` where it may be one of several."""
        own = self.of(array)
        if own is not None and len(own) == 1:
            return next(iter(own))
        found = [epoch for epoch in self.words.get(words, ()) if own is None or epoch in own]
        if not found and own is None:
            self.track(array, frozenset([OUTSIDE]))  # a clone of it will have the same words, and an epoch of its own
            self.born(words, OUTSIDE)
            return OUTSIDE
        return found[0] if len(found) == 1 else None

    def united(self, arrays: Iterable[Any]) -> frozenset[int] | None:
        """Return the epochs of several arrays together, ``None`` if none of them was followed."""
        known = [epochs for array in arrays if (epochs := self.of(array)) is not None]
        return frozenset().union(*known) if known else None
