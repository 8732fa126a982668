"""From the instructions of a file to edges between slots."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from typing import Any

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.builtin_calls import BuiltinCalls
from olympus_rules.reach.reading.definitions import Definitions
from olympus_rules.reach.reading.fixtures import is_fixture_maker
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.making import Making
from olympus_rules.reach.reading.operations import Operations
from olympus_rules.reach.reading.raw_keys import NAME, RawKeys
from olympus_rules.reach.reading.sites import Call, Written
from olympus_rules.reach.reading.spelled import axes_of, is_spelled, owners, spelling
from olympus_rules.reach.solver.failures import contained
from olympus_rules.reach.solver.heap import items_of
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    Class,
    Constructor,
    Container,
    Library,
    Made,
    Unknown,
    place_of,
)

READ = ir.Block()
"""Stands for instructions that were read and are not kept."""


class Reader:
    """Reads the instructions of one file: a dispatch class, with one method for each kind of instruction.

    Attributes:
        graph: the flow graph of the project.
        file: the path of the file.
        module: its code.
    """

    def __init__(self, graph: Graph, file: str, module: ir.FunctionCode) -> None:
        """Take the file."""
        self.graph = graph
        self.heap = graph.heap
        self.attributes = graph.attributes
        self.slots = graph.heap.slots
        self.file = file
        self.module = module
        self.constants: dict[tuple[ir.FunctionCode, int | None], str | int] = {}
        self.plain: set[tuple[ir.FunctionCode, int]] = set()
        self.bodies: dict[ir.FunctionCode, ir.ClassCode | None] = {}  # the class whose body is read in a scope
        self.owners = owners(graph.attributes.names.documents[file].tree)
        self.shared: dict[tuple[ir.FunctionCode, int], Slot] = {}
        self.raw = RawKeys(graph, file)
        self.operations = Operations(graph, file)
        self.builtins = BuiltinCalls(graph, file, self.raw)
        self.making = Making(graph, file)
        self.definitions = Definitions(module)

    def read(self) -> None:
        """Read the module's level and all functions in it."""
        self.read_all(self.module)
        for each in (self.constants, self.plain, self.shared, self.owners):
            each.clear()  # watchers keep the reader

    def read_all(self, outermost: ir.FunctionCode) -> None:
        """Read a function and all functions in it."""
        waiting = [outermost]
        while waiting:
            code = waiting.pop()
            code.lower()
            waiting += code.nested
            outer, self.definitions = self.definitions, Definitions(code)
            row, where = getattr(code.node, "lineno", 1), f"function `{code.name}`"
            with contained(self.graph.failures, self.file, row, where if code.parent else "the code outside functions"):
                self.block(code, code.block)
            self.definitions = outer
            code.block = READ

    def block(self, code: ir.FunctionCode, block: ir.Block) -> None:
        """Read the instructions of a block."""
        for instruction in block.body:
            handler = HANDLERS.get(type(instruction))
            if handler is not None:
                handler(self, code, instruction)

    # slots

    def register(self, code: ir.FunctionCode, number: int) -> Slot:
        """Return the slot of a register, or that of what is read into it."""
        found = self.shared.get((code, number))
        return self.slots.slot(code, number) if found is None else found

    def variable(self, code: ir.FunctionCode, name: str) -> Slot | None:
        """Return the slot of a variable in a scope; ``None`` for an unbound name."""
        scope: ir.FunctionCode | None = code
        while scope is not None:
            if name in scope.local_names and (name not in scope.outer_names or scope.kind == "module"):
                return self.heap.variable(scope, name)
            scope = scope.parent
        return self.heap.variable(self.module, name) if name in self.module.local_names else None

    def versions(self, code: ir.FunctionCode, instruction: ir.Instruction, name: str) -> list[Slot]:
        """Return the slots of a variable that an instruction may read or write; none for an unbound name."""
        versions = self.definitions.of(instruction)
        if versions is not None:
            return [self.heap.variable(code, name, version) for version in versions]
        variable = self.variable(code, name)
        return [] if variable is None else [variable]

    def expression(self, code: ir.FunctionCode, register: int, node: ast.AST) -> Slot:
        """Return the slot of a register, and record its expression."""
        slot, place = self.register(code, register), place_of(self.file, node)
        self.graph.express(place, slot)
        if self.graph.sites is None:
            self.raw.look_for_constructor(code, node, slot, place)
        elif place in self.graph.sites:
            self.slots.put(slot, Constructor(place))
        return slot

    # instructions

    def load(self, code: ir.FunctionCode, made: ir.Load) -> None:
        """Read a variable; an unbound name comes from a star import or is a builtin.

        One that is read as the owner of an attribute or element is no other slot: those have expressions of their own.
        """
        variables = self.versions(code, made, made.name)
        if len(variables) == 1 and made.node in self.owners:
            self.shared[code, made.dst] = variables[0]
            self.graph.express(place_of(self.file, made.node), variables[0])
            return
        slot = self.expression(code, made.dst, made.node)
        self.raw.imported(code, made.node, slot)
        if variables or "$" in made.name:
            for variable in variables or [self.heap.variable(code, made.name)]:
                self.slots.add_edge(variable, slot)
            return
        is_builtin = hasattr(builtins, made.name)
        hides = [
            module
            for module in self.module.stars
            if not (is_builtin and module.partition(".")[0] in sys.stdlib_module_names)  # few of which hide a builtin
        ]
        names = [f"{module}.{made.name}" for module in hides]
        own = [name for name in names if self.attributes.names.is_in_file(name, self.file)]
        found = [self.attributes.resolve(name, self.file, slot, by_star=True) for name in own]
        if not any(found):
            for name in names:
                if name not in own:  # of code out of reach, which may have any name
                    self.attributes.resolve(name, self.file, slot, by_star=True)
        if is_builtin:
            self.slots.put(slot, Library(f"builtins.{made.name}"))

    def store(self, code: ir.FunctionCode, made: ir.Store | ir.Assign | ir.Append) -> None:
        """Write a variable; one of a class body is an attribute, too."""
        source = self.register(code, made.src)
        for target in self.versions(code, made, made.name) or [self.heap.variable(code, made.name)]:
            self.slots.add_edge(source, target)
        owner, dot, name = made.name.rpartition(".")
        class_ = code.definitions.get(owner, self.bodies.get(code)) if dot else None  # the name may be bound again
        if isinstance(class_, ir.ClassCode) and not _is_property(class_, name):
            self.attributes.set_field(class_, name, self.making.methods.get(source, source))

    def collect(self, code: ir.FunctionCode, made: ir.Collect) -> None:
        """Make the container of a comprehension."""
        slot = self.expression(code, made.dst, made.node)
        container = Container(slot, None)
        self.slots.put(slot, container)
        self.slots.add_edge(self.heap.variable(code, made.name), self.heap.element(container, None))

    def imported(self, code: ir.FunctionCode, made: ir.Import) -> None:
        """Bind the names of an import."""
        for name, qualified in made.bindings:
            self.attributes.resolve(qualified, self.file, self.heap.variable(code, name))

    def attribute(self, code: ir.FunctionCode, made: ir.Attribute) -> None:
        """Read an attribute."""
        owner, is_told = self.register(code, made.obj), is_spelled(code, made.node.value)
        if is_told and made.name != NAME and place_of(self.file, made.node) not in (self.graph.sites or ()):
            self.shared[code, made.dst] = self.slots.slot("spelled", owner, made.name)  # each time it is the same
        slot = self.expression(code, made.dst, made.node)
        if slot not in self.attributes.owners:
            self.attributes.read(owner, made.name, slot, spelled=is_told)
        self.raw.named(made.name, made.node, owner, slot)

    def set_attribute(self, code: ir.FunctionCode, made: ir.SetAttribute) -> None:
        """Write an attribute of all objects of a class."""
        owner, source = self.register(code, made.obj), self.register(code, made.src)
        self.attributes.write(owner, made.name, source)
        self.note_written(code, made)
        if not isinstance(made.node, ast.Subscript):
            self.operations.write_property(owner, made.name, source, place_of(self.file, made.node))

    def note_written(self, code: ir.FunctionCode, made: ir.SetAttribute | ir.SetItem) -> None:
        """Note what is written to an attribute or to an element, with its place."""
        node = made.node
        if isinstance(node, ast.Attribute | ast.Subscript):
            owner, source = self.register(code, made.obj), self.register(code, made.src)
            self.attributes.written.append(Written(place_of(self.file, node), spelling(node), owner, source))

    def item(self, code: ir.FunctionCode, made: ir.Item) -> None:
        """Read an element; a slice of a container has all of its elements."""
        slot = self.expression(code, made.dst, made.node)
        owner = self.register(code, made.obj)
        index = made.node.slice
        self.heap.origins[slot] = owner
        if isinstance(index, ast.Slice):
            self.slots.add_edge(owner, slot)
            self.graph.calls.libraries.containers.join(owner, slot)  # the numbers are others
            return
        self.operations.call_special(owner, "__getitem__", [self.register(code, made.index)], slot)
        name = index.value if isinstance(index, ast.Constant) and isinstance(index.value, str | int) else None
        self.heap.copy_parts(owner, slot, parts_of=lambda value: items_of(self.heap, value, name))
        self.slots.add_edge_of(owner, slot, Class, Made, Library, Unknown)  # `Stack[int]` is the class
        self.heap.shift(owner, slot, axes_of(code, index))

    def set_item(self, code: ir.FunctionCode, made: ir.SetItem) -> None:
        """Write an element of a container."""
        name = self.constants.get((code, made.index))
        element = name if isinstance(name, str) else None
        owner, source = self.register(code, made.obj), self.register(code, made.src)
        self.heap.put_into(owner, source, element)
        self.raw.meet(made.node, [owner, source])
        self.note_written(code, made)
        nothing = self.slots.slot("written", place_of(self.file, made.node))
        self.operations.call_special(owner, "__setitem__", [self.register(code, made.index), source], nothing)
        if made.name is not None:
            for variable in self.versions(code, made, made.name):
                if element is None:
                    self.slots.add_edge(source, variable)
                else:
                    self.heap.fill_unknown(owner, source, variable, element)

    def build(self, code: ir.FunctionCode, made: ir.BuildSequence) -> None:
        """Make a container."""
        slot = self.expression(code, made.dst, made.node)
        is_plain = made.items and all((code, item) in self.plain for item, _ in made.items)
        if is_plain and not isinstance(made.node, ast.List):
            return  # a shape, or numbers; into a list, keys may be put later
        starred = any(starred for _, starred in made.items)
        container = Container(slot, None if starred else len(made.items))
        self.slots.put(slot, container)
        for index, (item, is_starred) in enumerate(made.items):
            if is_starred:
                self.heap.iterate(self.register(code, item), self.heap.element(container, None))
            else:
                self.slots.add_edge(self.register(code, item), self.heap.element(container, None if starred else index))

    def build_map(self, code: ir.FunctionCode, made: ir.BuildMap) -> None:
        """Make a dictionary."""
        slot = self.register(code, made.dst)
        container = Container(slot, None)
        self.slots.put(slot, container)
        names = [self.constants.get((code, key)) for key, _ in made.items]
        for number, ((key, value), name) in enumerate(zip(made.items, names, strict=True)):
            if key is None:
                later = [each for each in names[number:] if each is not None]
                self.attributes.trees.spread(self.register(code, value), container, without=later)
            else:
                self.slots.add_edge(self.register(code, value), self.heap.element(container, name))

    def constant(self, code: ir.FunctionCode, made: ir.Constant) -> None:
        """Record a constant, which may be the key of a dictionary."""
        self.plain.add((code, made.dst))
        if made.value is None:  # stands for a key that is not given
            self.graph.nothing.add(self.register(code, made.dst))
        if isinstance(made.value, str | int):
            self.constants[code, made.dst] = made.value

    def binary(self, code: ir.FunctionCode, made: ir.Binary) -> None:
        """Apply an operator."""
        slot = self.expression(code, made.dst, made.node)
        operands = [self.register(code, operand) for operand in made.operands]
        if made.operation in ("Eq", "NotEq") and isinstance(made.node, ast.Compare):
            self.raw.compare(made.node, operands)
        self.operations.apply(made, operands, slot)

    def boolean(self, code: ir.FunctionCode, made: ir.Boolean) -> None:
        """Evaluate ``and`` and ``or`` to any of their operands."""
        for operand in made.operands if made.operation != "not" else ():
            self.slots.add_edge(self.register(code, operand), self.register(code, made.dst))

    def unpack(self, code: ir.FunctionCode, made: ir.Unpack) -> None:
        """Unpack a container."""
        source = self.register(code, made.src)
        self.graph.express(place_of(self.file, made.node), source)
        targets = [self.register(code, dst) for dst in made.dsts]
        if made.star is not None:
            targets[made.star] = self.heap.element(self.heap.made(targets[made.star]), None)
        self.graph.calls.libraries.containers.take_apart(source, targets, made.star)

    def branch(self, code: ir.FunctionCode, made: ir.Branch) -> None:
        """Read all arms of a branch."""
        for test, _, body in made.arms:
            self.block(code, test)
            self.block(code, body)
        self.block(code, made.orelse)

    def loop(self, code: ir.FunctionCode, made: ir.Loop) -> None:
        """Read a loop."""
        if made.iterable is not None:
            self.heap.iterate(self.register(code, made.iterable), self.register(code, made.element))
        if made.test is not None:
            self.block(code, made.test[0])
        self.block(code, made.body)
        self.block(code, made.orelse)

    def attempt(self, code: ir.FunctionCode, made: ir.Try) -> None:
        """Read all blocks of a ``try``."""
        for block in (made.body, *made.handlers, made.orelse, made.final):
            self.block(code, block)

    def raising(self, code: ir.FunctionCode, made: ir.Raising) -> None:
        """Read a body that is expected to raise."""
        self.block(code, made.body)

    def give(self, code: ir.FunctionCode, made: ir.Return) -> None:
        """Return a value; what a generator yields are the elements of what its call gives."""
        source, result = None if made.src is None else self.register(code, made.src), self.heap.result(code)
        target = result
        if not made.leaves and code.yields and not any(map(is_fixture_maker, getattr(code.node, "decorator_list", []))):
            self.heap.generators.add(result)
            target = self.heap.element(self.heap.made(result), None)
        if source is not None and made.is_spread and target != result:
            self.heap.iterate(source, target)
        elif source is not None:
            self.slots.add_edge(source, target)

    def call(self, code: ir.FunctionCode, made: ir.Call) -> None:
        """Read a call."""
        call = Call(
            place=place_of(self.file, made.node),
            code=code,
            node=made.node,
            callee=spelling(made.node.func),
            function=self.register(code, made.func),
            arguments=tuple((self.register(code, register), starred) for register, starred in made.args),
            keywords=tuple((name, self.register(code, register)) for name, register in made.keywords),
            result=self.expression(code, made.dst, made.node),
            owner=None if made.owner is None else self.register(code, made.owner),
        )
        self.graph.calls.add(call)
        self.raw.made(call)
        self.builtins.call(call, self.constants.get((code, made.args[1][0])) if len(made.args) > 1 else None)

    def make_function(self, code: ir.FunctionCode, made: ir.MakeFunction) -> None:
        """Make a function, with its defaults and decorators."""
        defaults = [(name, self.register(code, register)) for name, register, _ in made.defaults]
        decorators = [self.register(code, register) for register in made.decorators]
        self.making.function(made.code, self.register(code, made.dst), defaults, decorators)

    def make_class(self, code: ir.FunctionCode, made: ir.MakeClass) -> None:
        """Make a class."""
        self.making.class_(made.code, self.register(code, made.dst), [self.register(code, base) for base in made.bases])
        outer, self.bodies[code] = self.bodies.get(code), made.code
        self.block(code, made.body)
        self.bodies[code] = outer


def _is_property(class_: ir.ClassCode, name: str) -> bool:
    return name in class_.methods and class_.methods[name].is_property


HANDLERS: dict[type[object], Callable[[Reader, ir.FunctionCode, Any], None]] = {
    ir.Constant: Reader.constant,
    ir.Load: Reader.load,
    ir.Store: Reader.store,
    ir.Assign: Reader.store,
    ir.Append: Reader.store,
    ir.Collect: Reader.collect,
    ir.Import: Reader.imported,
    ir.Attribute: Reader.attribute,
    ir.SetAttribute: Reader.set_attribute,
    ir.Item: Reader.item,
    ir.SetItem: Reader.set_item,
    ir.BuildSequence: Reader.build,
    ir.BuildMap: Reader.build_map,
    ir.Binary: Reader.binary,
    ir.Boolean: Reader.boolean,
    ir.Unpack: Reader.unpack,
    ir.Branch: Reader.branch,
    ir.Loop: Reader.loop,
    ir.Try: Reader.attempt,
    ir.Raising: Reader.raising,
    ir.Return: Reader.give,
    ir.Call: Reader.call,
    ir.MakeFunction: Reader.make_function,
    ir.MakeClass: Reader.make_class,
}
