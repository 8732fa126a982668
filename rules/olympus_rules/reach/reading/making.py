"""Functions and classes as a file defines them: their defaults, decorators, bases and metaclasses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.code.wrappers import hands_on
from olympus_rules.reach.reading.binding import give_words
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.library_calls import MAPPING
from olympus_rules.reach.reading.spelled import constant_names
from olympus_rules.reach.solver.mapping import NOT_MAPPED, Mapped, mapped_by, takes_words
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import Class, Container, Function, Key, Object, Unknown, Value, place_of


class Making:
    """The functions and classes of one file.

    Attributes:
        methods: the slots of methods, with those of what decorators make of them.
    """

    def __init__(self, graph: Graph, file: str) -> None:
        """Take the graph, and the path of the file."""
        self.graph = graph
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.file = file
        self.methods: dict[Slot, Slot] = {}

    def function(
        self, inner: ir.FunctionCode, slot: Slot, defaults: Sequence[tuple[str, Slot]], decorated_by: Sequence[Slot]
    ) -> None:
        """Make a function, with its defaults and decorators."""
        decorators: list[ast.expr] = getattr(inner.node, "decorator_list", [])
        value = self.mapped(inner, decorators)
        self.slots.put(slot, value)
        if inner.owner is not None:
            slot = self.decorated_method(inner, slot)
        for name, default in defaults:
            self.slots.add_edge(default, self.heap.variable(inner, name))
        if inner.owner is not None and inner.parameters and inner.kind not in ("staticmethod", "classmethod"):
            self.slots.put(self.heap.variable(inner, inner.parameters[0]), Object(inner.owner))
        for node, decorator in zip(decorators, decorated_by, strict=True):
            self.decorate(node, decorator, value, slot)
            if dotted_name(node.func if isinstance(node, ast.Call) else node).endswith(".parametrize"):
                self.parametrize(node, inner)
        self.graph.fixtures.take_function(self.file, inner, decorators)

    def mapped(self, function: ir.FunctionCode, decorators: list[ast.expr]) -> Function:
        """Return a function as its decorators map it over axes; a method is only widened."""
        mapped = NOT_MAPPED
        is_paired = False
        for node in reversed(decorators) if function.owner is None else ():
            outer = self.mapping(node)
            if isinstance(node, ast.Call) and self.transformation(node) in MAPPING and takes_words(node):
                give_words(self.heap, function)
            mapped = (outer and mapped.within(outer)) or mapped
            is_paired |= self.transformation(node) == "value_and_grad"
        return Function(function, 0, mapped, is_paired)

    def mapping(self, decorator: ast.expr) -> Mapped | None:
        """Return the axes over which a decorator maps its function, ``None`` for another or an unclear one."""
        call = decorator if isinstance(decorator, ast.Call) else None
        return mapped_by(call) if self.transformation(decorator) in MAPPING else None

    def transformation(self, decorator: ast.expr) -> str:
        """Return the kind of transformation that a decorator is; empty if it is none."""
        names = self.graph.attributes.names
        call = decorator if isinstance(decorator, ast.Call) else None
        function = decorator if call is None else call.func
        if call is not None and call.args:  # of ``partial``
            function = call.args[0]
        return names.model(names.documents[self.file].imports.resolve(dotted_name(function)) or "").kind

    def decorated_method(self, method: ir.FunctionCode, slot: Slot) -> Slot:
        """Return the slot of what decorators make of a method: an attribute of objects, as the method itself is not.

        What is read from an object is the method with its object, and :class:`Classes` finds it.
        """
        self.methods[slot] = decorated = self.slots.slot("decorated method", method)
        self.slots.add_edge(decorated, slot)
        return decorated

    def parametrize(self, node: ast.expr, inner: ir.FunctionCode) -> None:
        """Copy the cases of a parametrised test to its parameters: to those that are named, or to all."""
        named = constant_names(node.args[0]) if isinstance(node, ast.Call) and node.args else []
        targets = [self.heap.variable(inner, name) for name in named or inner.parameters if name in inner.parameters]
        for cases in node.args[1:2] if isinstance(node, ast.Call) else ():
            for slot in self.graph.expressions.get(place_of(self.file, cases), ()):
                if len(named) == 1 and targets:
                    self.heap.iterate(slot, targets[0])
                elif len(targets) == len(named) > 1:
                    case = self.slots.slot("case", place_of(self.file, cases))
                    self.heap.iterate(slot, case)
                    self.graph.calls.libraries.containers.take_apart(case, targets)
                else:
                    for target in targets:
                        self.heap.copy_elements(slot, target)

    def decorate(self, node: ast.expr, decorator: Slot, decorated: Function, slot: Slot) -> None:
        """Apply a decorator; keys among its arguments reach the function, as in pytest."""
        inner = decorated.code
        if decorated.is_made and self.mapping(node) is not None:
            return

        def apply(value: Value) -> None:
            if isinstance(value, Key | Container):
                for name in inner.parameters:
                    self.slots.put(self.heap.variable(inner, name), value)
            elif isinstance(value, Unknown):
                self.slots.put(slot, value)
            elif not (isinstance(value, Function) and value.given == 0 and hands_on(value.code)):
                self.graph.calls.hand(value, decorated, slot, place_of(self.file, node))

        self.slots.watch(decorator, apply)

    def class_(self, made: ir.ClassCode, slot: Slot, bases: Sequence[Slot]) -> None:
        """Make a class."""
        if self.graph.attributes.names.is_plain(self.file, made.node):
            self.heap.classes.plain.add(made)
        self.slots.put(slot, Class(made))
        self.heap.classes.add(made, [*bases])
