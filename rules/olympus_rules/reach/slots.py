"""Slots and the values that may be in them: a graph along which sets of values spread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator

from olympus_rules.reach.values import Value

__all__ = ["Slot", "Slots"]

Slot = int
Watcher = Callable[[Value], None]


class Slots:
    """A graph of slots. What is in one slot is in all that it leads to; a watcher sees each value once.

    A set of values is a bit mask, as most steps join large sets that are nearly equal.
    """

    def __init__(self) -> None:
        """Start without any slot."""
        self._numbers: dict[tuple[Hashable, ...], Slot] = {}
        self._bits: dict[Value, int] = {}
        self._known: list[Value] = []
        self._values: list[int] = []
        self._new: list[int] = []
        self._leads: list[set[Slot]] = []
        self._watchers: list[list[Watcher]] = []
        self._waiting: deque[Slot] = deque()

    def __len__(self) -> int:
        """Return how many slots there are."""
        return len(self._values)

    def slot(self, *name: Hashable) -> Slot:
        """Return the slot of a name, a new one for a new name."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self._values)
            self._values.append(0)
            self._new.append(0)
            self._leads.append(set())
            self._watchers.append([])
        return found

    def values(self, slot: Slot) -> list[Value]:
        """Return what may be in a slot."""
        return self._listed(self._values[slot])

    def _listed(self, mask: int) -> list[Value]:
        found = []
        while mask:
            lowest = mask & -mask
            found.append(self._known[lowest.bit_length() - 1])
            mask ^= lowest
        return found

    def mask(self, slot: Slot) -> int:
        """Return what may be in a slot as a bit mask, for :meth:`of_kind` and :meth:`listed`."""
        return self._values[slot]

    def of_kind(self, kind: type[Value]) -> int:
        """Return the mask of all values of a kind."""
        return sum(1 << number for number, value in enumerate(self._known) if isinstance(value, kind))

    def listed(self, mask: int) -> list[Value]:
        """Return the values of a mask."""
        return self._listed(mask)

    def empty(self) -> Iterator[tuple[Slot, Hashable]]:
        """Return the slots in which nothing is, with what their names begin with."""
        for name, slot in list(self._numbers.items()):
            if not self._values[slot]:
                yield slot, name[0]

    def put(self, slot: Slot, value: Value) -> None:
        """Put a value into a slot."""
        bit = self._bits.get(value)
        if bit is None:
            bit = self._bits[value] = 1 << len(self._known)
            self._known.append(value)
        self._spread(slot, bit)

    def lead(self, source: Slot, target: Slot) -> None:
        """Let all that is in one slot, now and later, be in another."""
        if source != target and target not in self._leads[source]:
            self._leads[source].add(target)
            self._spread(target, self._values[source])

    def watch(self, slot: Slot, watcher: Watcher) -> None:
        """Call a function for each value that is in a slot, now or later."""
        self._watchers[slot].append(watcher)
        for value in self._listed(self._values[slot] & ~self._new[slot]):
            watcher(value)

    def _spread(self, slot: Slot, values: int) -> None:
        fresh = values & ~self._values[slot]
        if fresh:
            self._values[slot] |= fresh
            if not self._new[slot]:
                self._waiting.append(slot)
            self._new[slot] |= fresh

    def settle(self) -> None:
        """Spread until nothing changes."""
        while self._waiting:
            slot = self._waiting.popleft()
            fresh, self._new[slot] = self._new[slot], 0
            for target in tuple(self._leads[slot]):
                self._spread(target, fresh)
            watchers = tuple(self._watchers[slot])
            for value in self._listed(fresh) if watchers else ():
                for watcher in watchers:
                    watcher(value)
