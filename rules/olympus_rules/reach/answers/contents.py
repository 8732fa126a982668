"""The keys in containers and objects, at any depth, once the graph is solved."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from olympus_rules.code.instructions import ClassCode
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.trees import Trees
from olympus_rules.reach.solver.values import Container, Key, Made, Object, Other, Place, Value

MOST_PARTS = 128
"""The limit of containers and objects in each other; over it, the analysis has merged unrelated ones."""
MOST_OPENED = 8
"""The limit of those that are opened to show how a key got into one of them."""
MANY = 16
"""The limit of constructors whose keys come to one place together with anything else; likewise."""


FEW = 4
"""The limit of constructors whose keys come to one place together with containers and objects."""


class Parts(NamedTuple):
    """What a set of containers and objects holds.

    Attributes:
        keys: the mask of the keys.
        holders: the mask of containers and objects.
    """

    keys: int
    holders: int


def union_of(parts: Sequence[Parts]) -> Parts:
    """Return what several containers and objects hold together."""
    keys, holders = 0, 0
    for each in parts:
        keys |= each.keys
        holders |= each.holders
    return Parts(keys, holders)


class Contents:
    """What containers and objects hold.

    A place in one is *told apart* if either keys or containers and objects come to it, and nothing but numbers and
    results of libraries beside them, which are among the leaves of the same trees. Keys of few constructors may come
    with containers: in a function that calls itself, they are parts of each other. At other places, the analysis has
    merged unrelated values.
    """

    def __init__(self, trees: Trees) -> None:
        """Take the solved graph."""
        self._trees = trees
        self._slots = trees.slots
        self._keys = self._slots.of_kinds(Key)
        self._holders = self._slots.of_kinds(Container, Object)
        self._beside = ~(self._slots.of_kinds(Key, Other, Made) | self._holders)
        self._found: dict[tuple[int, bool], int] = {}
        self._makers: dict[int, frozenset[Place]] = {}
        self._parts: dict[tuple[Value, bool], Parts] = {}
        self._apart: dict[int, Parts] = {}
        self._masks: dict[int, int] = {}
        self._layers: dict[tuple[int, bool], Parts] = {}
        self._attributes: dict[ClassCode, list[Slot]] = {}

    def of(self, values: int, *, told_apart: bool = False) -> int:
        """Return the mask of the keys in the containers and objects of a mask, and in those that these hold.

        Args:
            values: the mask.
            told_apart: whether only places count that are told apart.
        """
        holders = values & self._holders
        found = self._found.get((holders, told_apart))
        if found is None:
            found = self._found[holders, told_apart] = self._search(holders, told_apart=told_apart)
        return found

    def _search(self, holders: int, *, told_apart: bool) -> int:
        keys, seen = 0, 0
        while without(holders, seen):
            seen |= holders
            is_merged = seen.bit_count() > MOST_PARTS
            if is_merged and told_apart:
                return 0
            layer = self._layer(holders, told_apart=told_apart)
            keys |= layer.keys
            if is_merged:
                return keys
            holders = layer.holders
        return keys

    def _layer(self, holders: int, *, told_apart: bool) -> Parts:
        """Return what several holders hold; those that different searches come to after a step are often the same."""
        found = self._layers.get((holders, told_apart))
        if found is None:
            each = [self.parts(holder, told_apart=told_apart) for holder in self._slots.listed(holders)]
            found = self._layers[holders, told_apart] = self._of_parts(*union_of(each))
        return found

    def keys_of(self, values: int) -> int:
        """Return the mask of the keys of a place that is told apart, or of those in containers and objects there."""
        parts = self._told_apart(values)
        return parts.keys or self.of(parts.holders, told_apart=True)

    def _told_apart(self, values: int) -> Parts:
        """Return the keys, or the containers and objects, of a place; nothing of one that is not told apart."""
        found = self._apart.get(values)
        if found is None:
            found = self._apart[values] = self._of_parts(*self._what_counts(values))
        return found

    def _what_counts(self, values: int) -> Parts:
        keys, holders = values & self._keys, values & self._holders
        if keys and holders and self._made_by(keys) <= self._made_by(self.of(holders)):
            keys = 0  # elements: who writes one by a subscript may write it to an array
        if values & self._beside:
            return Parts(0, 0)
        if keys and holders:  # a function that calls itself for the parts of a tree
            return Parts(keys if len(self._made_by(keys)) <= FEW else 0, 0)
        if keys and without(values, keys) and len(self._made_by(keys)) > MANY:
            return Parts(0, 0)
        return Parts(keys, holders)

    def parts(self, holder: Value, *, told_apart: bool = False) -> Parts:
        """Return the elements of a container, or the attributes of an object."""
        found = self._parts.get((holder, told_apart))
        if found is None:
            own = self._slots.bit(holder)  # a tree of trees, each of which may be a part of another one, holds itself
            masks = map(self._slots.mask, self.slots_of(holder))
            if told_apart:
                different = {id(mask): without(mask, own) for mask in masks}
                each = union_of([self._told_apart(mask) for mask in different.values()])
            else:
                held = without(reduce(or_, masks, 0), own)
                each = Parts(held, held)
            found = self._parts[holder, told_apart] = self._of_parts(each.keys, each.holders)
        return found

    def _of_parts(self, keys: int, holders: int) -> Parts:
        """Return the keys, containers and objects of masks; equal masks, of which there are many, are one object."""
        keys, holders = keys & self._keys, holders & self._holders
        return Parts(self._masks.setdefault(keys, keys), self._masks.setdefault(holders, holders))

    def parts_with_keys(self, values: int) -> Iterator[tuple[Slot, Value]]:
        """Yield slots with keys in the containers and objects of a mask, at some depth, with the outermost holder."""
        seen, waiting = 0, deque[tuple[Value, Value]]()

        def open_later(holders: int, outermost: Value | None) -> None:
            nonlocal seen
            fresh = without(holders & self._holders, seen)
            while fresh and seen.bit_count() < MOST_OPENED:
                first = fresh & -fresh
                fresh, seen = fresh ^ first, seen | first
                (holder,) = self._slots.listed(first)
                waiting.append((holder, holder if outermost is None else outermost))

        open_later(values, None)
        while waiting:
            holder, outermost = waiting.popleft()
            for slot in self.slots_of(holder):
                mask = self._slots.mask(slot)
                if mask & self._keys:
                    yield slot, outermost
                open_later(mask, outermost)

    def slots_of(self, holder: Value) -> list[Slot]:
        """Return the slots of the elements of a container, or of the attributes of an object."""
        heap = self._trees.heap
        if isinstance(holder, Container):
            return [heap.element(holder, None), *heap.named_elements(holder).values()]
        assert isinstance(holder, Object)
        fields, loose = heap.classes.fields, self._slots.slot
        known = self._attributes.get(holder.code)
        if known is None:
            names = fields.names_of(holder.code)
            known = [slot for name in names for slot in (*fields.held(holder.code, name), loose("loose", name))]
            self._attributes[holder.code] = known
        return known

    def _made_by(self, keys: int) -> frozenset[Place]:
        found = self._makers.get(keys)
        if found is None:
            made = frozenset(key.site for key in self._slots.listed(keys) if isinstance(key, Key))
            found = self._makers[keys] = made
        return found
