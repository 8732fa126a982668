"""Raw keys beside those of the known constructors, where they come from and where they meet others.

Each of them is a key whose allocation site is no known constructor. So it propagates as keys do, and stays raw.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.judging.references import asks_for_names
from olympus_rules.libraries.names import PRNG_KEY, RANDOM
from olympus_rules.reach.reading.graph import Graph, Meeting
from olympus_rules.reach.reading.library_calls import FACTORIES
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.reading.words import (
    array_like,
    is_array_of_words,
    is_of_keys,
    keys_of_words,
    names_of_dtype,
    takes_shape,
)
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    UNDIVIDED,
    Constructor,
    Container,
    Function,
    KeyWords,
    Library,
    Place,
    Value,
    Words,
    place_of,
)
from olympus_rules.syntax.document import Parents

NAME = PRNG_KEY.rpartition(".")[2]


class RawKeys:
    """The raw keys of one file that no known constructor makes; inactive while the constructors are looked for."""

    def __init__(self, graph: Graph, file: str) -> None:
        """Take the graph and the file."""
        self.graph = graph
        self.file = file
        self.slots = graph.heap.slots
        self.names = graph.attributes.names
        self.dtypes = names_of_dtype(self.names.documents[file].tree)

    def look_for_constructor(self, code: ir.FunctionCode, node: ast.AST, slot: Slot, place: Place) -> None:
        """Look for the constructor of raw keys where it is spelled out, if nobody has said where it is."""
        if isinstance(node, ast.Name | ast.Attribute) and code.imported_name(node):
            self.take_where(slot, PRNG_KEY, slot, place)

    def take_where(self, owner: Slot, qualified: str, slot: Slot, place: Place) -> None:
        """Put the constructor into a slot once the owner of a mention is the module or function of that name."""

        def look(value: Library) -> None:
            if self.names.canonical(value.qualified) == qualified:
                self.slots.put(slot, Constructor(place))

        self.slots.watch(owner, look, Library)

    def made(self, call: Call) -> None:
        """Put an array of words into the result of a call, or one whose dtype is that of a key."""
        node = call.node
        if is_of_keys(node):
            self.slots.put(call.result, KeyWords(call.place))
        elif is_array_of_words(node, self.dtypes):
            self.slots.put(call.result, Words(call.place))
        elif (model := array_like(node)) is not None:
            axes = 0 if takes_shape(node, model) else None
            back = self.graph.calls.libraries.back
            for slot in self.graph.expressions.get(place_of(self.file, model), ()):
                self.graph.heap.shift(slot, call.result, axes)
                self.slots.watch_mask(slot, partial(back.give_others, result=call.result), Container, *UNDIVIDED)
        for key in keys_of_words(node):  # what is wrapped are keys of the kind that they had
            for slot in self.graph.expressions.get(place_of(self.file, key), ()):
                self.graph.heap.shift(slot, call.result, None)
        for keyword, slot in call.keywords:
            if keyword in FACTORIES:
                self.slots.watch(slot, partial(self.default, call=call), Function, Constructor, Library)

    def default(self, factory: Value, *, call: Call) -> None:
        """Call the function that makes the default of a field: one of the project, or one like ``list``."""
        calls = self.graph.calls
        if isinstance(factory, Library):
            container = self.names.model(factory.qualified).container
            calls.libraries.containers.call(container, replace(call, arguments=(), keywords=()))
        else:
            calls.binding.feed(factory, [], call.result)

    def named(self, name: str, node: ast.expr, owner: Slot, slot: Slot) -> None:
        """Read an attribute of the module of the constructor, by a mention that is not renamed."""
        place = place_of(self.file, node)
        if name == NAME and self.is_hidden(node, place):
            self.take_where(owner, RANDOM, slot, place)

    def imported(self, code: ir.FunctionCode, node: ast.AST, slot: Slot) -> None:
        """Read the imported constructor, by a mention that is not renamed."""
        qualified = code.imported_name(node) if isinstance(node, ast.Name) else None
        if qualified is not None and self.names.canonical(qualified) == PRNG_KEY:
            place = place_of(self.file, node)
            if self.is_hidden(node, place):
                self.slots.put(slot, Constructor(place))

    def is_hidden(self, node: ast.AST, place: Place) -> bool:
        """Return whether a mention is not one of the known ones, and not in code for several releases of JAX."""
        if place in (self.graph.sites or ()):
            return False
        parents = self.names.documents[self.file].parents
        around: ast.AST | None = node
        while around is not None and not (isinstance(around, ast.If | ast.IfExp | ast.Try) and asks_for_names(around)):
            around = parents.get(around)
        return around is None

    def compare(self, node: ast.Compare, slots: Sequence[Slot]) -> None:
        """Record that arrays are compared; what has a truth value is no raw key, which has several words."""
        if not has_truth(node, self.names.documents[self.file].parents):
            self.meet(node, slots)

    def meet(self, node: ast.AST, slots: Sequence[Slot]) -> None:
        """Record that arrays are compared, or that one is written into another."""
        self.graph.meetings.append(Meeting(place_of(self.file, node), ast.unparse(node), tuple(slots)))


def has_truth(node: ast.expr, parents: Parents) -> bool:
    """Return whether an expression is used as true or false."""
    user = parents.get(node)
    match user:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            return test is node
        case ast.BoolOp(values=[*_, last]) if last is node:  # which is the value of the whole
            return has_truth(user, parents)
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.comprehension(ifs=conditions):
            return node in conditions
    return False
