"""A dictionary of bounded size."""

from __future__ import annotations

from itertools import islice
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(dict[K, V], Generic[K, V]):
    """A dictionary that forgets its oldest entries when there are too many."""

    def __init__(self, largest: int) -> None:
        super().__init__()
        self.largest = largest

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self.largest:
            self._forget()

    def setdefault(self, key: K, default: V) -> V:
        """Return the value of a key, the given one if there is none yet."""
        found = super().setdefault(key, default)
        if len(self) > self.largest:
            self._forget()
        return found

    def _forget(self) -> None:
        for key in list(islice(self, max(self.largest // 4, 1))):
            del self[key]
