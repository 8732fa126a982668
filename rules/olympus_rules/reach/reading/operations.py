"""Operators, contexts, patterns, exceptions, what generators return, and the special methods of objects."""

from __future__ import annotations

import ast
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    FEW,
    WHOLE,
    Container,
    Function,
    Key,
    KeyWords,
    Made,
    Member,
    Object,
    Place,
    Unknown,
    Value,
    Words,
)

EXTENDING = frozenset({"Add", "BitOr"})
"""Operators that put the elements of their right side into the container on their left, as ``+=`` does."""


class Operations:
    """The operations of one file, by which a value gets to another place without a call or an assignment of its own."""

    def __init__(self, graph: Graph, file: str) -> None:
        """Take the graph, and the path of the file."""
        self.graph = graph
        self.file = file
        self.attributes = graph.attributes
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.containers = graph.calls.libraries.containers

    def apply(self, made: ir.Binary, operands: list[Slot], slot: Slot) -> None:
        """Apply an operation to slots, with another slot for its result."""
        operation, _, what = made.operation.partition(" ")
        if operation == "raise":
            self.slots.add_edge_of(operands[0], self.slots.slot("raised"), Object)
        elif operation == "caught":
            self.catch(slot)
        elif operation == "yield":
            for operand in operands if not isinstance(made.node, ast.Yield) else ():
                self.slots.watch(operand, partial(self.returned, target=slot), Container, Key, Object)
        elif operation == "match":
            self.match(what, operands[0], slot)
        else:
            self.operate(made, operands, slot)

    def operate(self, made: ir.Binary, operands: list[Slot], slot: Slot) -> None:
        """Apply an operator: ``+``, ``|`` and ``*`` give containers, and ``with`` enters contexts."""
        if isinstance(made.node, ast.AugAssign):
            self.slots.add_edge(operands[0], slot)  # it changes the object, where that can be changed
            if made.operation in EXTENDING:
                self.containers.extend(operands[0], operands[1])
        is_number = isinstance(made.node, ast.BinOp | ast.AugAssign | ast.UnaryOp)
        merged = Container(self.slots.slot("merged", slot), None)
        for operand in operands:
            if is_number:
                self.slots.add_edge_of(operand, slot, KeyWords, Words)
            if made.operation == "with":
                self.enter(operand, slot)
            elif made.operation == "BitOr":
                self.attributes.trees.spread(operand, merged)
                self.slots.watch_mask(operand, lambda _: self.attributes.trees.hold(merged, slot), Container)
            elif made.operation == "Add":
                self.slots.add_edge(operand, slot)
                self.containers.join(operand, slot)
            elif made.operation == "Mult":
                self.slots.add_edge_of(operand, slot, Container)
                self.containers.join(operand, slot)

    def enter(self, context: Slot, target: Slot) -> None:
        """Enter a context: the result of ``__enter__``, or the context itself."""

        def enter(value: Object | Unknown) -> None:
            if isinstance(value, Unknown):
                for method in self.heap.classes.methods.get("__enter__", ()):
                    self.slots.add_edge(self.heap.result(method), target)
            elif not self.heap.ask(value, "__enter__", target):
                self.slots.put(target, value)

        self.slots.watch(context, enter, Object, Unknown)
        self.slots.add_edge_of(context, target, Key, Container, *WHOLE)

    def catch(self, slot: Slot) -> None:
        """Catch an exception: one that is raised anywhere, or one of a library."""
        self.slots.add_edge(self.slots.slot("raised"), slot)
        self.slots.put(slot, Made("builtins"))

    def returned(self, value: Value, target: Slot) -> None:
        """Copy what an inner generator returns, but not what it yields."""
        if not isinstance(value, Container) or value.display not in self.heap.generators:
            self.slots.put(target, value)

    def match(self, what: str, subject: Slot, slot: Slot) -> None:
        """Read a part of a value that a pattern matches: an item, an attribute, a position or the rest."""
        kind, _, name = what.partition(" ")
        if kind == "item":
            self.heap.copy_parts(subject, slot, name=name or None)
        elif kind == "attribute":
            self.attributes.read(subject, name, slot)
        elif kind == "rest":
            self.slots.add_edge(subject, slot)
        elif kind == "position":  # any attribute of the object
            self.attributes.read_any(subject, slot)

    def call_special(self, owner: Slot, name: str, given: list[Slot], target: Slot) -> None:
        """Call a special method of the objects of a slot with arguments, of which only keys and what holds them count.

        Very many objects are there by a merger of values: any such method gives the result, and takes no argument.
        """
        if not self.heap.classes.has_method(name):
            return
        take = partial(self._call_method, given=given, target=target)

        def each(value: Object) -> None:
            self.slots.watch(self.heap.classes.member(value.code, name), take, Member)

        def rest() -> None:
            for method in self.heap.classes.methods.get(name, ()):
                self.slots.add_edge(self.heap.result(method), target)

        self.slots.watch_few(owner, each, rest, Object, most=FEW)

    def _call_method(self, method: Member, *, given: list[Slot], target: Slot) -> None:
        """Call one method."""
        self.graph.calls.binding.fill(Function(method.code, 1), [[slot] for slot in given], target, is_over=True)

    def write_property(self, owner: Slot, name: str, source: Slot, place: Place) -> None:
        """Call the method of a property that writes an attribute of the objects of a slot at a place."""
        self.call_special(owner, ir.setter(name), [source], self.slots.slot("written", place))
