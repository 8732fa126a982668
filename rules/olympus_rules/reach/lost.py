"""The keys that are not followed further, as more values come together than the analysis tells apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.reach.heap import LIMITED
from olympus_rules.reach.project import ProjectReach, functions_of
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.slots import Slot, without
from olympus_rules.reach.values import (
    BoundMethod,
    Constructor,
    Container,
    Function,
    Key,
    Member,
    Object,
    Other,
    Partial,
    Place,
    Unknown,
    Value,
)

__all__ = ["Lost", "lost"]

POOLS = ("elements", "contents", "leaves", "fields")


@dataclass(frozen=True, slots=True)
class Lost:
    """Keys that are not followed further.

    Attributes:
        place: the function that returns them, or the expression at which they are lost.
        function: the name of the function; empty for an expression.
        keys: the constructors of the keys.
    """

    place: Place
    function: str
    keys: frozenset[Place]


def lost(reached: ProjectReach) -> list[Lost]:
    """Return the keys that are not followed further, each with the first place at which that is so.

    It is so only after too many steps. Before, so few values are not told apart that this would hold back mostly keys
    that come back by a merger.
    """
    return list(_Search(reached).found()) if reached.slots.is_cut_short else []


class _Search:
    """The search for keys that are lost.

    What counts is: a key that a slot did not take, or that is in a container or object that a slot did not take; what
    an unknown callable is given or returns; and a key beside anything else, as the places that are no places for typed
    keys are known only where nothing but keys comes to them.
    """

    def __init__(self, reached: ProjectReach) -> None:
        """Take the analysis."""
        self.reached = reached
        self.slots = reached.slots
        self.contents = reached.contents
        self.keys = self.slots.of_kinds(Key)
        self.holders = self.slots.of_kinds(Container, Object)
        self.unknown = self.slots.of_kinds(Unknown)
        self.beside = ~(self.keys | self.slots.of_kinds(Other))
        self._seen = 0
        self._seen_keys = 0

    def found(self) -> Iterator[Lost]:
        """Yield the keys that are lost, each once as far as containers and objects have it."""
        yield from self.of_functions()
        yield from self.of_calls()
        yield from self.of_slots()

    def of_functions(self) -> Iterator[Lost]:
        """Yield the keys that lost functions return; what an unknown callable returns is not followed."""
        places = {code: place_of(path, code.node) for path, _, code in functions_of(self.reached.names.modules)}
        for code in _lost_functions(self.reached):
            if code in places:
                yield from self.at(places[code], self.slots.mask(self.reached.heap.result(code)), code.name)

    def of_calls(self) -> Iterator[Lost]:
        """Yield the keys that are handed to callees of which not all are told apart, or come back from them."""
        binding = self.reached.calls.binding
        for call in self.reached.calls.all:
            if call.place in binding.over_limit:
                for slot in (*call.given, call.result):
                    yield from self.at(call.place, self.slots.mask(slot))

    def of_slots(self) -> Iterator[Lost]:
        """Yield the keys that slots did not take, or that are in slots with anything else."""
        pools = {self.slots.same[self.slots.slot(f"{name} of many")] for name in POOLS}
        pools |= {self.slots.same[self.slots.slot(name)] for name in ("written to many", "set to many")}
        all_slots = list(self.slots.same)
        spots: list[Place | None] = [None] * len(all_slots)  # lists, as dictionaries take several times as much memory
        for place, several in self.reached.graph.expressions.items():
            for slot in several:
                spots[all_slots[slot]] = spots[all_slots[slot]] or place
        is_seen = bytearray(len(all_slots))
        for slot in all_slots:
            if not is_seen[slot]:
                is_seen[slot] = True
                yield from self.at(spots[slot], self._lost_at(slot, pools))

    def _lost_at(self, slot: Slot, pools: Collection[Slot]) -> int:
        """Return the mask of what a slot did not take, and of the keys in it if they are with anything else."""
        mask = self.slots.mask(slot)
        if slot not in pools and not mask & self.unknown:
            mask &= self.keys if mask & self.beside else 0
        return mask | self.slots.lost.get(slot, 0)

    def at(self, place: Place | None, mask: int, function: str = "") -> Iterator[Lost]:
        """Yield the keys of a mask, at a place or where they were made."""
        made: dict[Place, set[Place]] = {}
        for value in self.slots.listed(self.fresh(mask)):
            site = value.site if isinstance(value, Key) else value.mention if isinstance(value, Constructor) else None
            if site is not None:
                made.setdefault(place or site, set()).add(site)
        for each, sites in made.items():
            yield Lost(each, function, frozenset(sites))

    def fresh(self, mask: int) -> int:
        """Return the keys of a mask, and those in its containers and objects at any depth, that are new."""
        found = mask & (self.keys | self.slots.of_kinds(Constructor))
        waiting = without(mask & self.holders, self._seen)
        while waiting:
            self._seen |= waiting
            inner = 0
            for holder in self.slots.listed(waiting):
                parts = self.contents.parts(holder)
                found |= parts.keys
                inner |= parts.holders
            waiting = without(inner, self._seen)
        fresh = without(found, self._seen_keys)
        self._seen_keys |= found
        return fresh


def _lost_functions(reached: ProjectReach) -> Iterable[FunctionCode]:
    """Return the functions that some slot or call site did not take, and the ``__call__`` of such objects."""
    slots = reached.slots
    values: list[Value] = [value for kind in LIMITED for value in slots.values(slots.slot("lost", kind))]
    members = [reached.heap.classes.member(value.code, "__call__") for value in values if isinstance(value, Object)]
    values += [value for slot in members for value in slots.values(slot)]
    for call in reached.calls.all:
        if call.place in reached.calls.binding.over_limit:
            values += slots.values(call.function)
    return dict.fromkeys(v.code for v in values if isinstance(v, Function | BoundMethod | Partial | Member))
