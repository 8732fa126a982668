"""Calls of functions of Python by which attributes are named, and classes are made."""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.libraries.names import DICT
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.raw_keys import RawKeys
from olympus_rules.reach.reading.sites import Call, Written
from olympus_rules.reach.reading.spelled import constant_names, looped_names
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import Class, Key, Library, Object, place_of

MAKING_CLASSES = frozenset({"NamedTuple", "make_dataclass", "namedtuple"})
NAMING = frozenset({"getattr", "setattr", "__setattr__"})
"""Functions that take the name of an attribute."""


class BuiltinCalls:
    """The calls of such functions in one file."""

    def __init__(self, graph: Graph, file: str, raw: RawKeys) -> None:
        """Take the graph, the path of the file, and what is done with raw keys."""
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.attributes = graph.attributes
        self.file = file
        self.raw = raw

    def call(self, call: Call, name: str | int | None) -> None:
        """Read a call, of which the second argument may be a constant."""
        callee = dotted_name(call.node.func).rpartition(".")[2]
        if callee in NAMING and len(call.arguments) > 1 and not any(starred for _, starred in call.arguments):
            if callee == "getattr":
                self.read(call, name)
            elif len(call.arguments) == 3:
                self.write(call, name)
        if callee == "TypedDict":
            self.slots.put(call.result, Library(DICT))
        if callee in MAKING_CLASSES and len(call.node.args) > 1:
            self.called_class(callee, call, call.node.args)

    def read(self, call: Call, name: str | int | None) -> None:
        """Read an attribute by its name: that attribute, or any one in a loop over names that are computed."""
        owner = call.arguments[0][0]
        names = self.names(call, name)
        for each in names or ():
            self.attributes.read(owner, each, call.result)
        if names == []:
            self.attributes.read_any(owner, call.result)
        for default, _ in call.arguments[2:]:
            self.slots.add_edge(default, call.result)
        self.raw.named(str(name), call.node, owner, call.result)

    def write(self, call: Call, name: str | int | None) -> None:
        """Write an attribute by its name: that attribute, or any one where the name is computed."""
        (owner, _), _, (source, _) = call.arguments
        names = self.names(call, name) or []
        for each in names:
            self.attributes.write(owner, each, source)
        if not names:
            self.attributes.write_any(owner, source)
        written = ".".join([ast.unparse(call.node.args[0]), *names[:1]])
        self.attributes.written.append(Written(place_of(self.file, call.node), written, owner, source))

    def names(self, call: Call, name: str | int | None) -> list[str] | None:
        """Return the names that an argument stands for: none if they are computed; ``None`` for any expression."""
        parents = self.attributes.names.documents[self.file].parents
        return [name] if isinstance(name, str) else looped_names(call.node, parents)

    def called_class(self, maker: str, call: Call, arguments: list[ast.expr]) -> None:
        """Make a class by a call, with the fields that it names and any defaults."""
        fields = constant_names(arguments[1])
        if fields:
            class_ = ir.ClassCode(maker, ast.ClassDef(maker, [], [], [], []), fields=fields)
            self.attributes.trees.set_any(Object(class_), self.keys_given(call))
            self.slots.put(call.result, Class(class_))

    def keys_given(self, call: Call) -> Slot:
        """Return the slot of the keys in the arguments of a call, as in the defaults of fields."""
        given, keys = self.slots.slot("given to a class", call.place), self.slots.slot("keys of a class", call.place)
        for slot in call.given:
            self.heap.copy_contained(slot, given, 0)
        self.slots.add_edge_of(given, keys, Key)
        return keys
