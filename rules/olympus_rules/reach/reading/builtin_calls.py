"""Calls of functions of Python by which attributes and variables are named, and classes are made."""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.libraries.names import DICT
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.raw_keys import RawKeys
from olympus_rules.reach.reading.sites import Call, Written
from olympus_rules.reach.reading.spelled import constant_names, is_plain_write, names_field, spelled_names
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import Class, Key, Library, Object, place_of

MAKING_CLASSES = frozenset({"NamedTuple", "make_dataclass", "namedtuple", "type"})
NAMING = frozenset({"getattr", "setattr", "__setattr__"})
"""Functions that take the name of an attribute."""
NAMESPACES = frozenset({"globals", "locals", "vars"})
"""Functions that give the variables of a scope."""


class BuiltinCalls:
    """The calls of such functions in one file.

    Attributes:
        properties: what makes properties by a call, with the functions that give them.
    """

    def __init__(self, graph: Graph, file: str, module: ir.FunctionCode, raw: RawKeys) -> None:
        """Take the graph, the path of the file and its code, and what is done with raw keys."""
        self.graph = graph
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.attributes = graph.attributes
        self.file = file
        self.module = module
        self.raw = raw
        self.properties: dict[Slot, list[Slot]] = {}

    def call(self, code: ir.FunctionCode, call: Call, name: str | int | None) -> None:
        """Read a call in a function, of which the second argument may be a constant."""
        callee = dotted_name(call.node.func).rpartition(".")[2]
        if callee in NAMING and len(call.arguments) > 1 and not any(starred for _, starred in call.arguments):
            if callee == "getattr":
                self.read(call, name)
            elif len(call.arguments) == 3 and not is_plain_write(code, call.node):
                self.write(call, name)
        if callee in NAMESPACES and not call.arguments:
            self.namespace(self.module if callee == "globals" else code, call)
        if callee == "property":
            given = [slot for keyword, slot in call.keywords if keyword == "fget"]
            self.properties[call.result] = [*(slot for slot, _ in call.arguments[:1]), *given]
        if callee == "TypedDict":
            self.slots.put(call.result, Library(DICT))
        if callee in MAKING_CLASSES and len(call.node.args) > 1:
            self.called_class(callee, call, call.node.args)

    def read(self, call: Call, name: str | int | None) -> None:
        """Read an attribute by its name: that attribute, or any one where the name is no constant."""
        owner, node = call.arguments[0][0], call.node
        parents = self.attributes.names.documents[self.file].parents
        spelled = [name] if isinstance(name, str) else spelled_names(node, parents)
        for each in spelled:
            self.attributes.read(owner, each, call.result)
        if not spelled and names_field(node, parents):
            self.attributes.read_any(owner, call.result)
            if isinstance(node.args[1], ast.Attribute):
                self.attributes.reads_of_fields.append((owner, call.result))
        for default, _ in call.arguments[2:]:
            self.slots.add_edge(default, call.result)
        self.raw.named(str(name), node, owner, call.result)

    def write(self, call: Call, name: str | int | None) -> None:
        """Write an attribute by its name, likewise."""
        (owner, _), _, (source, _) = call.arguments
        spelled = (
            [name]
            if isinstance(name, str)
            else spelled_names(call.node, self.attributes.names.documents[self.file].parents)
        )
        for each in spelled:
            self.attributes.write(owner, each, source)
        if not spelled:
            self.attributes.write_any(owner, source)
        written = ".".join([ast.unparse(call.node.args[0]), *spelled[:1]])
        self.attributes.written.append(Written(place_of(self.file, call.node), written, owner, source))

    def namespace(self, scope: ir.FunctionCode, call: Call) -> None:
        """Return the dictionary of the variables of a scope."""
        container = self.heap.made(call.result)
        for name in scope.local_names:
            self.slots.add_edge(self.heap.variable(scope, name), self.heap.element(container, name))

    def called_class(self, maker: str, call: Call, arguments: list[ast.expr]) -> None:
        """Make a class by a call, with the attributes of a dictionary, or the fields that it names and any defaults."""
        fields = [] if maker == "type" else constant_names(arguments[1])
        class_ = ir.ClassCode(maker, ast.ClassDef(maker, [], [], [], []), fields=fields)
        if maker == "type" and len(call.given) == 3:
            self.attributes.set_fields(class_, call.given[2])
            self.heap.iterate(call.given[1], call.result)  # its objects may be taken for those of its bases
        elif not fields:
            return
        else:
            self.attributes.trees.set_each(Object(class_), self.keys_given(call))
        self.slots.put(call.result, Class(class_))

    def keys_given(self, call: Call) -> Slot:
        """Return the slot of the keys in the arguments of a call, as in the defaults of fields."""
        given, keys = self.slots.slot("given to a class", call.place), self.slots.slot("keys of a class", call.place)
        for slot in call.given:
            self.heap.copy_contained(slot, given, 0)
        self.slots.add_edge_of(given, keys, Key)
        return keys
