"""Settling the graph: reads and calls of unknown objects."""

from __future__ import annotations

import ast
import re

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.containers import TAKING
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.slots import Slot, finish, reached_from
from olympus_rules.reach.solver.values import (
    CALLEES,
    IN_PROJECT,
    OTHER,
    UNDIVIDED,
    WHOLE,
    Class,
    Function,
    KeyWords,
    Member,
    Object,
)

ROUNDS = 10
GIVING_BACK = frozenset(
    """
    __copy__ __deepcopy__ __getitem__ addressable_data block_until_ready copy flatten get item items pop popitem
    popleft ravel repeat reshape set setdefault squeeze swapaxes take to_device transpose values
    """.split()  # noqa: SIM905
)
"""Methods of arrays and containers that return their elements."""
COPYING = frozenset({"__copy__", "__deepcopy__", "addressable_data", "block_until_ready", "copy", "to_device"})
"""Those of them that keep the axes of an array."""
UPDATE = re.compile(r"\.at\[.*\]\.set$", re.DOTALL)
"""A call that gives an array with new elements."""
SELECTION = re.compile(r"\.at\[.*\]\.get$", re.DOTALL)
"""A call that gives what the index in it gives."""


class Settling:
    """Propagates values; an unknown object may be any object of the project.

    Attributes:
        read_vaguely: the attributes of unknown objects that were read: the name and the result.
    """

    def __init__(self, graph: Graph) -> None:
        """Take the graph of all files."""
        self.graph = graph
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.attributes = graph.attributes
        self.calls = graph.calls
        self.read_vaguely: set[tuple[str, Slot]] = set()

    def run(self) -> None:
        """Propagate values until nothing changes; an attribute of an unknown object may be that of any object."""
        self.slots.settle()
        self._unread_class_methods()
        for _ in range(ROUNDS):
            self._vague_reads()
            waiting, self.attributes.reads = self.attributes.reads, []
            for owner, name, slot in waiting:
                if self.slots.mask(owner) & self.slots.of_kinds(*CALLEES):
                    self.attributes.reads.append((owner, name, slot))
                    continue
                self.attributes.vague.add((name, slot))
            self._vague_reads()
            self.attributes.write_to_unknown()
            self._unknown_results()
            self._unknown_calls()
            self.slots.settle()
            if len(self.attributes.reads) == len(waiting) and not self.attributes.vague:
                break
        for slot, (scope, *_) in enumerate(list(self.slots.numbers)):
            is_empty = isinstance(scope, ir.FunctionCode) and not self.slots.mask(slot)
            if is_empty and slot not in self.graph.nothing:
                self.slots.put(slot, OTHER)  # a number, or an argument of a caller that is not known
        self.slots.settle()
        self.graph.nothing = reached_from(self.slots, self.graph.nothing)
        finish(self.slots)

    def _unread_class_methods(self) -> None:
        """Let a class method that nobody reads from a class, as that of a library, be called with its own class."""
        for methods in self.heap.classes.methods.values():
            for method in methods:
                if method.kind == "classmethod" and method.parameters and method.owner is not None:
                    own = self.heap.variable(method, method.parameters[0])
                    if not self.slots.mask(own):
                        self.slots.put(own, Class(method.owner))
        self.slots.settle()

    def _vague_reads(self) -> None:
        """Read attributes of objects of any class of the project."""
        calls = {call.function: call for call in self.calls.all}
        while self.attributes.vague:
            waiting, self.attributes.vague = sorted(self.attributes.vague - self.read_vaguely), set()
            self.read_vaguely.update(waiting)
            for name, slot in waiting:
                self.heap.widen(self.attributes.attribute(name))
                self.slots.add_edge(self.attributes.attribute(name), slot)
                for method in self.heap.classes.methods.get(name, ()):
                    if method.owner is not None and (slot not in calls or may_take(method, calls[slot])):
                        self.attributes.take_member(Member(method), Object(method.owner), slot)
            self.slots.settle()

    def _unknown_results(self) -> None:
        """Let methods of arrays and containers return the elements of the object."""
        rest = []
        for owner, call in self.calls.method_results:
            callees, name = self.slots.mask(call.function), call.callee.rpartition(".")[2]
            if callees & self.slots.of_kinds(*CALLEES):
                rest.append((owner, call))
                if name in COPYING and not callees & self.slots.of_kinds(*IN_PROJECT):
                    self.heap.shift(owner, call.result, 0)  # the object may also be one of a library
                continue
            self.slots.add_edge_of(owner, call.result, KeyWords)
            if name in GIVING_BACK:
                is_taken = name in TAKING  # an element, and not the object itself
                self.slots.add_edge_of(owner, call.result, *(WHOLE if is_taken else UNDIVIDED))
                self.heap.copy_parts(owner, call.result, Object)
                keeps_axes = name in COPYING or SELECTION.search(call.callee)
                self.heap.shift(owner, call.result, 0 if keeps_axes else None)
            if UPDATE.search(call.callee):
                updated = self.heap.origins.get(owner)
                self.heap.shift(owner if updated is None else updated, call.result, 0)
                for slot in call.given[:1]:
                    self.heap.shift(slot, call.result, None)
        self.calls.method_results = rest
        self.slots.settle()

    def _unknown_calls(self) -> None:
        """Let an unknown callee return the functions that it is given, as most decorators do."""
        for call in self.calls.all:
            if not self.slots.mask(call.function) & self.slots.of_kinds(*CALLEES):
                for slot, _ in call.arguments:
                    functions = self.slots.of_kinds(Function)
                    self.slots.put_mask(call.result, self.slots.mask(slot) & functions)


def may_take(method: ir.FunctionCode, call: Call) -> bool:
    """Return whether a method can be called with so many arguments and these names."""
    node = method.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
        return True
    given = [starred for _, starred in call.arguments]
    names = {keyword for keyword, _ in call.keywords if keyword is not None}
    if method.vararg is None and given.count(False) > method.positional - 1:
        return False
    if method.kwarg is None and not names <= set(method.parameters):
        return False
    if any(given) or any(keyword is None for keyword, _ in call.keywords):
        return True
    options = node.args
    needed = [*method.parameters[1 : method.positional - len(options.defaults)]][len(given) :]
    needed += [
        each.arg for each, default in zip(options.kwonlyargs, options.kw_defaults, strict=True) if default is None
    ]
    return names.issuperset(needed)
