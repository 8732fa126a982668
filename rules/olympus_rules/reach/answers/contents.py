"""The keys in containers and objects, at any depth, once the graph is solved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from olympus_rules.code.instructions import ClassCode
from olympus_rules.reach.solver.heap import each_element
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.trees import Trees
from olympus_rules.reach.solver.values import Container, Key, Made, Object, Other, Value

MOST_PARTS = 128
"""The limit of containers and objects in each other; over it, the analysis has merged unrelated ones."""
MOST_OPENED = 8
"""The limit of those that are opened to show how a key got into one of them."""
FEW, MANY = 4, 16
"""The limits of constructors whose keys come to one place with containers and objects, and with anything else."""


class Contents:
    """What containers and objects hold."""

    def __init__(self, trees: Trees) -> None:
        """Take the solved graph."""
        self._trees = trees
        self._slots = trees.slots
        self._keys = self._slots.of_kinds(Key)
        self._holders = self._slots.of_kinds(Container, Object)
        self._beside = ~(self._slots.of_kinds(Key, Other, Made) | self._holders)
        self._found: dict[tuple[int, bool], int] = {}
        self._held: dict[tuple[Value, bool], int] = {}
        self._attributes: dict[ClassCode, list[Slot]] = {}

    def of(self, values: int, *, sure: bool = False) -> int:
        """Return the mask of the keys in the containers and objects of a mask, and in those that these hold.

        Args:
            values: the mask.
            sure: whether only keys count that surely come to their places.
        """
        start = values & self._holders, sure
        if start not in self._found:
            keys, seen, fresh = 0, 0, start[0]
            while fresh and seen.bit_count() <= MOST_PARTS:
                seen |= fresh
                held = reduce(or_, (self.held_by(holder, sure=sure) for holder in self._slots.listed(fresh)))
                keys |= held & self._keys
                fresh = without(held & self._holders, seen)
            self._found[start] = 0 if sure and fresh else keys
        return self._found[start]

    def keys_of(self, values: int) -> int:
        """Return the mask of the keys that surely come to a place, or to containers and objects there."""
        held = self.surely(values)
        return held & self._keys or self.of(held, sure=True)

    def surely(self, values: int) -> int:
        """Return a mask without what comes to its place by a merger of values, as functions beside keys show.

        Keys of many constructors beside containers are elements: who writes one by a subscript may write to an array.
        """
        keys, holders = values & self._keys, values & self._holders
        if values & self._beside:
            return 0
        if not keys or values == keys:
            return values
        makers = {key.site for key in self._slots.of(keys, Key)}
        return keys if len(makers) <= (FEW if holders else MANY) else holders

    def held_by(self, holder: Value, *, sure: bool) -> int:
        """Return the mask of the elements of a container, or of the attributes of an object."""
        found = self._held.get((holder, sure))
        if found is None:
            masks = map(self._slots.mask, self.slots_of(holder))
            found = self._held[holder, sure] = reduce(or_, map(self.surely, masks) if sure else masks, 0)
        return found

    def slots_with_keys(self, values: int) -> Iterator[Slot]:
        """Yield slots with keys in the containers and objects of a mask, at some depth."""
        seen, fresh = 0, values & self._holders
        while fresh and seen.bit_count() < MOST_OPENED:
            first = fresh & -fresh
            seen |= first
            (holder,) = self._slots.listed(first)
            masks = {slot: self._slots.mask(slot) for slot in self.slots_of(holder)}
            yield from (slot for slot, mask in masks.items() if mask & self._keys)
            fresh = without((fresh | reduce(or_, masks.values(), 0)) & self._holders, seen)

    def slots_of(self, holder: Value) -> list[Slot]:
        """Return the slots of the elements of a container, or of the attributes of an object."""
        heap = self._trees.heap
        if isinstance(holder, Container):
            return each_element(heap, holder)
        assert isinstance(holder, Object)
        fields, loose = heap.classes.fields, self._slots.slot
        known = self._attributes.get(holder.code)
        if known is None:
            names = fields.names_of(holder.code)
            known = [slot for name in names for slot in (*fields.held(holder.code, name), loose("loose", name))]
            self._attributes[holder.code] = known
        return known
