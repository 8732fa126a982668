"""The keys in containers and objects, at any depth, once the graph is solved."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import NamedTuple

from olympus_rules.reach.heap import Heap
from olympus_rules.reach.values import Container, Key, Object, Value

__all__ = ["Contents", "Held"]

MOST_PARTS = 128
"""The limit of containers and objects in each other; over it, the analysis has merged unrelated ones."""


class Held(NamedTuple):
    """The keys in a set of containers and objects.

    Attributes:
        keys: their mask.
        is_told_apart: whether there are so few containers and objects that they are not merged ones.
    """

    keys: int
    is_told_apart: bool


class Contents:
    """What containers and objects hold."""

    def __init__(self, heap: Heap) -> None:
        """Take the solved graph."""
        self._heap = heap
        self._slots = heap.slots
        self._keys = self._slots.of_kinds(Key)
        self._holders = self._slots.of_kinds(Container, Object)
        self._found: dict[int, Held] = {}
        self._parts: dict[Value, int] = {}

    def of(self, values: int) -> Held:
        """Return the keys in the containers and objects of a mask, and in those that these hold."""
        holders = values & self._holders
        found = self._found.get(holders)
        if found is None:
            found = self._found[holders] = self._search(holders)
        return found

    def _search(self, holders: int) -> Held:
        keys, seen, waiting = 0, 0, holders
        count = 0
        while waiting and count <= MOST_PARTS:
            seen |= waiting
            inside = 0
            for holder in self._slots.listed(waiting):
                inside |= self.parts(holder)
                count += 1
            keys |= inside & self._keys
            waiting = inside & self._holders & ~seen
        return Held(keys, not waiting)

    def parts(self, holder: Value) -> int:
        """Return the mask of the elements of a container, or of the attributes of an object."""
        found = self._parts.get(holder)
        if found is None:
            heap, slots = self._heap, []
            if isinstance(holder, Container):
                slots = [heap.element(holder, None), *heap.named_elements(holder)]
            elif isinstance(holder, Object):
                names = heap.classes.names_of(holder.code)
                slots = [slot for name in names for slot in heap.attribute_of(holder, name)]
            found = self._parts[holder] = reduce(or_, map(self._slots.mask, slots), 0)
        return found
