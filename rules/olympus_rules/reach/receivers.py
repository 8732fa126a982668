"""Which objects a path may be about, by the functions that it enters: those that an attribute of the object holds.

A method of a base class may call what each subclass writes to an attribute: ``self.step(key)``. The graph joins all
that they write. A path through such a call is one of an object whose attribute may hold the function that it enters.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from operator import or_

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.objects import ANYTHING, Objects, Wanted
from olympus_rules.reach.sites import Call
from olympus_rules.reach.slots import Slot, without
from olympus_rules.reach.values import BoundMethod, Class, Function, Object, Other, Partial, Place, Unknown

__all__ = ["Receivers"]


class Receivers:
    """The objects with which methods are called."""

    def __init__(self, graph: Graph, held: Objects, functions: Mapping[Place, object]) -> None:
        """Take the graph, its objects, and the function around each call."""
        self._slots = graph.heap.slots
        self._classes = graph.heap.classes
        self._getting = graph.attributes.getting
        self._held = held
        self._functions = functions
        self._owners: dict[tuple[str, Slot], set[Slot]] = defaultdict(set)
        for owner, name, source in graph.attributes.writes:
            self._owners[name, source].add(owner)
        self._wanted: dict[tuple[Slot, FunctionCode], Wanted] = {}
        self._admitted: dict[tuple[ClassCode, Wanted], bool] = {}

    def wanted(self, call: Call, entered: object) -> Wanted:
        """Return what is wanted of the object of the method around a call, if that calls a function."""
        if (
            call.owner is None
            or not isinstance(entered, FunctionCode)
            or not self.is_self(call.owner, self._functions.get(call.place))
        ):
            return ANYTHING
        if (call.function, entered) not in self._wanted:
            self._wanted[call.function, entered] = self._wanted_of(call, entered)
        return self._wanted[call.function, entered]

    def _wanted_of(self, call: Call, entered: FunctionCode) -> Wanted:
        name = call.node.func.attr if isinstance(call.node.func, ast.Attribute) else ""
        methods = self._classes.methods.get(name, ())
        is_given = any(method.is_property for method in methods) or self._classes.has_method("__get__")
        if entered in methods or is_given or self._getting.may_give(name):
            return ANYTHING
        callees = self._slots.mask(call.function) & self._slots.of_kinds(BoundMethod, Function, Partial)
        codes = [each for each in self._slots.listed(callees) if isinstance(each, BoundMethod | Function | Partial)]
        functions = reduce(or_, (self._slots.bit(each) for each in codes if each.code is entered), 0)
        return Wanted(name, functions) if functions else ANYTHING

    def is_self(self, register: Slot, method: object) -> bool:
        """Return whether a register has the object of a method, and nothing else."""
        own = self._held.self_of(method) if isinstance(method, FunctionCode) else None
        return own is not None and (register == own or self._held.variables(register) == [register, own])

    def is_own_write(self, name: str, source: Slot, method: object) -> bool:
        """Return whether a method writes a value to an attribute of its object, and to that of no other."""
        owners = self._owners.get((name, source), ())
        return bool(owners) and all(self.is_self(owner, method) for owner in owners)

    def before(self, wanted: Wanted, call: Call, method: FunctionCode) -> Wanted | None:
        """Return what is wanted of the object of the method around a call of one, ``None`` if it cannot be this call.

        Args:
            wanted: what is wanted of the object of the called method.
            call: the call.
            method: the method.
        """
        objects = self._objects(call, method)
        if objects is None:
            return ANYTHING
        if not any(self._admits(each, wanted) for each in objects):
            return None
        owner = self._held.owner_of(call)
        return wanted if owner is not None and self.is_self(owner, self._functions.get(call.place)) else ANYTHING

    def _objects(self, call: Call, method: FunctionCode) -> list[ClassCode] | None:
        """Return the classes of the objects with which a call calls a method; ``None`` if not all are known."""
        name, callees = method.name.rpartition(".")[2], self._slots.mask(call.function)
        makers = [each.code for each in self._slots.listed(callees) if isinstance(each, Class)]
        if makers:
            is_made = name == "__init__" and not callees & self._slots.bit(BoundMethod(method))
            return makers if is_made else None
        spelled = call.node.func.attr if isinstance(call.node.func, ast.Attribute) else "__call__"
        owner = self._held.owner_of(call) if spelled == name else None
        values = self._slots.mask(owner) if owner is not None else 0
        values = without(values, self._slots.of_kinds(Other))
        found = [each.code for each in self._slots.listed(values) if isinstance(each, Object)]
        if not found or without(values, self._slots.of_kinds(Object)):
            return None
        return found if all(self._is_method_of(method, each) for each in found) else None

    def _is_method_of(self, method: FunctionCode, class_: ClassCode) -> bool:
        """Return whether a method that is read from an object of a class has that object."""
        name = method.name.rpartition(".")[2]
        written = self._classes.fields.held(class_, name)
        is_related = method.owner is not None and self._classes.family(method.owner) is self._classes.family(class_)
        return is_related and not any(self._slots.mask(slot) & self._slots.bit(BoundMethod(method)) for slot in written)

    def _admits(self, class_: ClassCode, wanted: Wanted) -> bool:
        """Return whether an object of a class, or of a subclass, may have what is wanted."""
        known = self._admitted.get((class_, wanted))
        if known is None:
            slots = self._classes.fields.held(class_, wanted.name)
            loose = self._slots.numbers.get(("loose", wanted.name))
            held = reduce(or_, map(self._slots.mask, slots if loose is None else [*slots, loose]), 0)
            known = bool(held & (wanted.functions | self._slots.of_kinds(Unknown)))
            self._admitted[class_, wanted] = known
        return known
