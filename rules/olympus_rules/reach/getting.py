"""Attributes that special methods of objects give: descriptors, and objects that stand in the place of others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.reach.heap import Heap
from olympus_rules.reach.slots import Slot, nothing
from olympus_rules.reach.values import Member, Object, Value

__all__ = ["FEW", "GETTING", "Getting"]

OF_ARRAYS = frozenset({"dtype", "ndim", "shape", "size"})
"""Attributes of arrays that are no keys."""
GETTING = ("__getattr__", "__getattribute__")
"""Methods that give the attributes that an object does not have."""
FEW = 8
"""The limit of objects at one place whose special methods are called: more are a merger of values."""


class Getting:
    """Reads of attributes by special methods; those of one attribute of one class share a slot."""

    def __init__(self, heap: Heap, owners: dict[Slot, Slot], read: Callable[[Value, str, Slot], None]) -> None:
        """Take where values are kept, the object of each result, and what reads an attribute of a value otherwise."""
        self.heap = heap
        self.slots = heap.slots
        self.classes = heap.classes
        self.owners = owners
        self._read = read
        self._got: set[Slot] = set()
        self._given: set[Slot] = set()

    def got(self, code: ir.ClassCode, name: str) -> Slot:
        """Return the slot of the objects in an attribute of a class, and of what those with ``__get__`` give."""
        slot = self.slots.slot("got", code, name)
        if slot not in self._got:
            self._got.add(slot)
            self.slots.watch(self.classes.fields.read(code, name), partial(self._get, slot), Object)
        return slot

    def _get(self, slot: Slot, value: Value) -> None:
        """Put an object that is in an attribute into a slot, or what its ``__get__`` gives."""
        assert isinstance(value, Object)
        if not self.classes.defines(value.code, ("__get__",)):
            self.slots.put(slot, value)
        self.heap.ask(value, "__get__", slot)

    def may_give(self, name: str) -> bool:
        """Return whether a special method of an object may give an attribute, or one of the object in its place."""
        return any(map(self.classes.has_method, GETTING)) and not name.startswith("__") and name not in OF_ARRAYS

    def in_place(self, owner: Value, *, name: str, slot: Slot) -> None:
        """Read an attribute that an object does not have itself, but gives by a method or as one of another object."""
        assert isinstance(owner, Object)
        if self.classes.writes(owner.code, name) or self.classes.defines(owner.code, (name,)):
            return
        given = self.slots.slot("given in place", owner, name)
        if given not in self._given:
            self._given.add(given)
            for special in GETTING:
                self.slots.watch(self.classes.own_member(owner.code, special), partial(self._give, given, name), Member)
        self.slots.add_edge(given, slot)

    def _give(self, slot: Slot, name: str, method: Value) -> None:
        """Copy what a special method gives for an attribute of its object, or the one of the object in its place."""
        assert isinstance(method, Member)
        self.slots.add_edge(self.heap.result(method.code), slot)
        self.slots.add_edge(self._read_in_place(self.object_in_place(method.code), name), slot)

    def object_in_place(self, method: ir.FunctionCode) -> Slot:
        """Return the slot of the objects whose attributes a method gives as those of its own object."""
        return self.slots.slot("object in its place", method)

    def _read_in_place(self, inner: Slot, name: str) -> Slot:
        """Return the slot of an attribute of the few objects in the place of another one."""
        target = self.slots.slot("read in its place", inner, name)
        if target not in self.owners:
            self.owners[target] = inner
            each = partial(self._both_ways, name=name, slot=target)
            self.slots.watch_few(inner, each, nothing, Object, most=FEW)
        return target

    def _both_ways(self, owner: Value, *, name: str, slot: Slot) -> None:
        """Read an attribute of an object, or one that it gives by a method or as one of another object."""
        self._read(owner, name, slot)
        self.in_place(owner, name=name, slot=slot)
