"""Operators, contexts, patterns, exceptions, and what generators are sent and return."""

from __future__ import annotations

import ast
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.special import OVERLOADED, SpecialCalls
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    WHOLE,
    Container,
    Key,
    KeyWords,
    Made,
    Object,
    Unknown,
    Value,
    Words,
    place_of,
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
        self.special = SpecialCalls(graph.heap, graph.calls.binding)
        self.containers = graph.calls.libraries.containers

    def apply(self, code: ir.FunctionCode, made: ir.Binary, operands: list[Slot], slot: Slot) -> None:
        """Apply an operation to slots, with another slot for its result."""
        operation, _, what = made.operation.partition(" ")
        if operation == "raise":
            self.throw(made, operands[0])
        elif operation == "caught":
            self.catch(slot)
        elif operation == "yield":
            self.receive(code, made, operands, slot)
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
        if made.operation == "BitOr":
            self.merge(made, operands, slot)
        is_number = isinstance(made.node, ast.BinOp | ast.AugAssign | ast.UnaryOp)
        for number, operand in enumerate(operands):
            if is_number:
                self.slots.add_edge_of(operand, slot, KeyWords, Words)
            if made.operation in OVERLOADED:
                others = operands[:number] + operands[number + 1 :]
                self.special.apply(operand, made.operation, others, slot)
            if made.operation == "with":
                self.enter(operand, slot)
            elif made.operation == "Add":
                self.special.add(operand, slot)
                self.containers.join(operand, slot)
            elif made.operation == "Mult":
                self.slots.add_edge_of(operand, slot, Container)
                self.containers.join(operand, slot)

    def merge(self, made: ir.Binary, operands: list[Slot], slot: Slot) -> None:
        """Make a dictionary of several: the result of ``|``, which is a number where there are none."""
        merged = Container(self.slots.slot("merged", slot), None)
        last = made.node.right if isinstance(made.node, ast.BinOp) else getattr(made.node, "value", None)
        keys = last.keys if isinstance(last, ast.Dict) else []
        names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        for source in operands:
            without = [] if source == operands[-1] else names
            self.attributes.trees.spread(source, merged, without=without)
            self.slots.watch_mask(source, lambda _: self.attributes.trees.hold(merged, slot), Container)

    def enter(self, context: Slot, target: Slot) -> None:
        """Enter a context: the result of ``__enter__``, or the context itself."""

        def enter(value: Value) -> None:
            if isinstance(value, Unknown):
                for method in self.heap.classes.methods.get("__enter__", ()):
                    self.slots.add_edge(self.heap.result(method), target)
                return
            assert isinstance(value, Object)
            if not self.heap.ask(value, "__enter__", target):
                self.slots.put(target, value)

        self.slots.watch(context, enter, Object, Unknown)
        self.slots.add_edge_of(context, target, Key, Container, *WHOLE)

    def throw(self, made: ir.Binary, error: Slot) -> None:
        """Raise an exception, which any handler may catch, with what it is made of."""
        self.slots.add_edge_of(error, self.slots.slot("raised"), Object)
        raised = made.node.exc if isinstance(made.node, ast.Raise) else None
        for argument in raised.args if isinstance(raised, ast.Call) else ():
            for source in self.graph.expressions.get(place_of(self.file, argument), ()):
                self.slots.add_edge_of(source, self.attributes.error_arguments(), Key, Container, Object)

    def catch(self, slot: Slot) -> None:
        """Catch an exception: one that is raised anywhere, or one of a library."""
        self.slots.add_edge(self.slots.slot("raised"), slot)
        self.slots.put(slot, Made("builtins"))
        self.slots.put(slot, Object(self.attributes.error))

    def receive(self, code: ir.FunctionCode, made: ir.Binary, operands: list[Slot], slot: Slot) -> None:
        """Return what a generator is sent, or what an inner one returns."""
        sent = self.slots.slot("sent", self.heap.result(code))
        if isinstance(made.node, ast.Yield):
            self.slots.add_edge(sent, slot)
        elif operands:
            self.slots.watch(operands[0], partial(self.returned, target=slot, sent=sent), Container, Key, Object)

    def returned(self, value: Value, *, target: Slot, sent: Slot) -> None:
        """Copy what an inner generator returns, but not what it yields; it gets what the outer one is sent."""
        if isinstance(value, Container) and value.display in self.heap.generators:
            self.slots.add_edge(sent, self.slots.slot("sent", value.display))
        else:
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
        elif kind == "position":
            self.slots.watch(subject, partial(self.at_position, position=int(name), target=slot), Object)

    def at_position(self, owner: Value, *, position: int, target: Slot) -> None:
        """Read the attribute that a class lists at a position; any of a class that lists none."""
        assert isinstance(owner, Object)
        names = owner.code.fields
        if position < len(names):
            self.slots.add_edge(self.heap.classes.fields.read(owner.code, names[position]), target)
        else:
            self.slots.add_edge(self.attributes.trees.fields(owner), target)
