"""Calls that may call very many functions: what may be or hold keys is handed on and comes back, and nothing else.

To bind all arguments, as to one of a few functions, would make one pool of all values of such functions. Call sites
with the same callees share the slots between, so that there are as many edges as sites and callees, not as pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import or_

from olympus_rules.code import instructions as ir
from olympus_rules.reach.heap import Heap
from olympus_rules.reach.mapping import Mapped
from olympus_rules.reach.sites import Call
from olympus_rules.reach.slots import Slot, without
from olympus_rules.reach.values import Container, Key, Object, Unknown, Value, Words

__all__ = ["ANY", "KEPT", "Callees", "Many", "fewer_axes"]

KEPT = (Key, Container, Object, Unknown)
"""The values that are handed to one of very many callees."""
Callee = tuple[ir.FunctionCode, int | None, Mapped]
Callees = frozenset[Callee]
"""Functions, each with the number of its parameters that are taken, if it is known, and the axes of its map."""
MOST_PAIRS = 10_000
"""The limit of pairs of a call site and a callee; the core of a framework with all its tests has more of them."""
ANY = -1
"""Any parameter."""


class Many:
    """The call sites that may call very many functions."""

    def __init__(
        self, heap: Heap, further: Callable[[ir.FunctionCode], Slot], slots_of: Callable[[Value], list[Slot]]
    ) -> None:
        """Start without any.

        Args:
            heap: where values are kept.
            further: returns the slot of the elements of ``*arguments`` of a function.
            slots_of: returns the slots of what is in a container or object.
        """
        self.heap = heap
        self.slots = heap.slots
        self._further = further
        self._slots_of = slots_of
        self._called: dict[Slot, dict[Callee, None]] = defaultdict(dict)
        self._linked: dict[Slot, int] = {}
        self._waiting: dict[Slot, Mapping[int | str, list[Slot]]] = {}
        self._numbers: dict[Callees, int] = {}
        self._links: list[tuple[Slot, Slot]] = []
        self._left = MOST_PAIRS

    def add(self, call: Call, code: ir.FunctionCode, offset: int | None, mapped: Mapped) -> int:
        """Add a callee of a call site; return how many there were."""
        called = self._called[call.result]
        called[code, offset, mapped] = None
        return len(called)

    def is_waiting(self, call: Call) -> bool:
        """Say whether the arguments of a call wait."""
        return call.result in self._waiting

    def wait(self, call: Call, given: Mapping[int | str, list[Slot]]) -> None:
        """Let the arguments of a call, by position or name, wait until all its callees are known."""
        self._waiting[call.result] = given

    def pass_on(self) -> bool:
        """Hand on the keys that calls are given and that come back, and what holds keys; return whether any is new."""
        waiting, self._waiting = self._waiting, {}
        groups: dict[Callees, list[Slot]] = defaultdict(list)
        for result in waiting:
            groups[frozenset([*self._called[result]][self._linked.get(result, 0) :])].append(result)
        for callees, results in sorted(groups.items(), key=lambda group: len(group[0]) * len(group[1])):
            for result in results if self.takes(len(callees) * len(results)) else ():
                self._link(result, waiting[result], callees)
        kept = self._kept() if self._links else 0
        changed = False
        for source, target in self._links:
            known = self.slots.mask(target)
            if without(self.slots.mask(source) & kept, known):
                self.slots.put_mask(target, self.slots.mask(source) & kept)
                changed |= self.slots.mask(target) != known  # a limit may have kept all of it out
        return changed or bool(waiting)

    def takes(self, pairs: int) -> bool:
        """Count pairs of a call site and a callee; return whether they are within the limit."""
        if pairs > self._left:
            return False
        self._left -= pairs
        return True

    def _link(self, result: Slot, given: Mapping[int | str, list[Slot]], callees: Callees) -> None:
        """Link a call site with its new callees, by slots that all sites with these callees share."""
        self._linked[result] = len(self._called[result])
        number = self._numbers.setdefault(callees, len(self._numbers))
        ways = [(slot, self._shared(callees, number, spot)) for spot, slots in given.items() for slot in slots]
        ways.append((self._returned(callees, number), result))
        self._links += ways

    def _kept(self) -> int:
        """Return the mask of all keys that constructors make, and of all containers and objects that hold any."""
        keys = self.slots.of_kinds(Key) & ~self.slots.of_kinds(Words)
        parts = [(self.slots.bit(each), self._parts(each)) for each in self.slots.listed(self._holders())]
        kept, before = keys, -1
        while kept != before:
            before = kept
            for bit, mask in parts:
                if mask & kept:
                    kept |= bit
        return kept | self.slots.of_kinds(Unknown)

    def _holders(self) -> int:
        return self.slots.of_kinds(Container, Object)

    def _parts(self, holder: Value) -> int:
        """Return the mask of what is in a container or object."""
        return reduce(or_, map(self.slots.mask, self._slots_of(holder)), 0)

    def _shared(self, callees: Callees, number: int, spot: int | str) -> Slot:
        """Return the slot of what all callers of some functions hand to one parameter."""
        name = ("handed to many", number, spot)
        is_new = name not in self.slots.numbers
        shared = self.slots.slot(*name)
        for code, offset, mapped in callees if is_new else ():
            source = self._fewer_axes(shared, spot, mapped)
            for target in self._targets(code, offset, spot):
                has_self = code.owner is not None and target == self.heap.variable(code, "self")
                self.slots.add_edge_of(source, target, *(KEPT[1:] if has_self else KEPT))
        return shared

    def _returned(self, callees: Callees, number: int) -> Slot:
        """Return the slot of what some functions return."""
        name = ("returned by many", number)
        is_new = name not in self.slots.numbers
        returned = self.slots.slot(*name)
        for code, _, mapped in callees if is_new else ():
            if mapped.axes != 0:
                self.heap.stacked(self.heap.result(code), returned, mapped.axes)
            else:
                self.slots.add_edge_of(self.heap.result(code), returned, *KEPT)
        return returned

    def _fewer_axes(self, shared: Slot, spot: int | str, mapped: Mapped) -> Slot:
        """Return the slot of what a mapped function takes of what is handed to a parameter."""
        if spot == ANY and mapped.places:
            rows = self.slots.slot("rows", shared, None)
            self.heap.stacked(shared, rows, None)
            return rows
        return fewer_axes(self.heap, shared, mapped.at(spot) if isinstance(spot, int) and spot != ANY else mapped.axes)

    def _targets(self, code: ir.FunctionCode, offset: int | None, spot: int | str) -> Iterator[Slot]:
        """Yield the parameters that an argument comes to."""
        spot = ANY if offset is None and isinstance(spot, int) else spot
        names = code.parameters[offset : code.positional] if isinstance(spot, int) else code.parameters
        if isinstance(spot, str):
            names = (spot,) if spot in names else ()
        elif spot != ANY:
            names = names[spot : spot + 1]
        for name in names:
            yield self.heap.variable(code, name)
        if isinstance(spot, int) and code.vararg is not None and (spot == ANY or not names):
            yield self._further(code)
        elif isinstance(spot, str) and code.kwarg is not None and not names:
            yield self.heap.element(self.heap.made(self.heap.variable(code, code.kwarg)), spot)


def fewer_axes(heap: Heap, slot: Slot, axes: int | None) -> Slot:
    """Return a slot whose keys have so many axes less."""
    if axes == 0:
        return slot
    rows = heap.slots.slot("rows", slot, axes)
    heap.stacked(slot, rows, None if axes is None else -axes)
    return rows
