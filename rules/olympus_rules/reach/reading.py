"""From the instructions of a file to edges between slots."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.code.wrappers import hands_on
from olympus_rules.libraries.names import DICT, PRNG_KEY
from olympus_rules.reach.binding import give_words
from olympus_rules.reach.calls import FILLING
from olympus_rules.reach.definitions import Definitions, is_imported
from olympus_rules.reach.exchanges import Exchanges
from olympus_rules.reach.failures import contained
from olympus_rules.reach.fixtures import is_fixture_maker
from olympus_rules.reach.getters import getter
from olympus_rules.reach.getting import GETTING
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.heap import items_of, parts_from_end
from olympus_rules.reach.library_calls import MAPPING
from olympus_rules.reach.mapping import NOT_MAPPED, Mapped, mapped_by, takes_words
from olympus_rules.reach.operators import OVERLOADED, Operators
from olympus_rules.reach.raw_keys import NAME, RawKeys, place_of
from olympus_rules.reach.sites import Call, Written
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.values import (
    WHOLE,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    KeyWords,
    Library,
    Made,
    Object,
    Partial,
    Place,
    Unknown,
    Value,
    Words,
)
from olympus_rules.syntax.document import Parents, every_node

__all__ = ["Reader", "place_of"]

MAKING_CLASSES = frozenset({"NamedTuple", "make_dataclass", "namedtuple", "type"})
NAMING = frozenset({"getattr", "setattr", "__setattr__"})
"""Functions that take the name of an attribute."""
NAMESPACES = frozenset({"globals", "locals", "vars"})
"""Functions that give the variables of a scope."""
EXTENDING = frozenset({"Add", "BitOr"})
"""Operators that put the elements of their right side into the container on their left, as ``+=`` does."""
READ = ir.Block()
"""Stands for instructions that were read and are not kept."""
FIELDS = re.compile(r"fields|__slots__|__annotations__|__dict__|vars\(|dir\(|^[\[(]")
"""What gives the names of the attributes of an object, one by one."""


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
        self.methods: dict[Slot, Slot] = {}
        self.properties: dict[Slot, list[Slot]] = {}
        self.bodies: dict[ir.FunctionCode, ir.ClassCode | None] = {}  # the class whose body is read in a scope
        self.owners = owners(graph.attributes.names.documents[file].tree)
        self.shared: dict[tuple[ir.FunctionCode, int], Slot] = {}
        self.raw = RawKeys(graph, file)
        self.operators = Operators(graph.heap, graph.calls.binding)
        self.exchanges = Exchanges(graph, file)
        self.definitions = Definitions(module)

    def read(self) -> None:
        """Read the module's level and all functions in it."""
        for star in self.module.stars:
            self.graph.fixtures.take_import(self.file, "*", star)
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
            self.look_for_constructor(code, node, slot, place)
        elif place in self.graph.sites:
            self.slots.put(slot, Constructor(place))
        return slot

    def look_for_constructor(self, code: ir.FunctionCode, node: ast.AST, slot: Slot, place: Place) -> None:
        """Look for the constructor of raw keys where it is spelled out, if nobody has said where it is."""
        if not isinstance(node, ast.Name | ast.Attribute) or not is_imported(code, node):
            return

        def look(value: Value) -> None:
            if isinstance(value, Library) and self.attributes.names.canonical(value.qualified) == PRNG_KEY:
                self.slots.put(slot, Constructor(place))

        self.slots.watch(slot, look, Library)

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
            if source in self.properties:
                self.attributes.set_property(class_, name, self.properties[source])
            else:
                self.attributes.set_field(class_, name, self.methods.get(source, source))

    def collect(self, code: ir.FunctionCode, made: ir.Collect) -> None:
        """Make the container of a comprehension."""
        slot = self.expression(code, made.dst, made.node)
        container = Container(slot, None)
        self.slots.put(slot, container)
        values, every = self.heap.variable(code, made.name), self.heap.element(container, None)
        copied = copied_dictionary(made.node) if isinstance(made.node, ast.DictComp) else None
        sources = self.graph.expressions.get(place_of(self.file, copied), ()) if copied is not None else ()
        if not sources:
            self.slots.add_edge(values, every)
        for source in sources:
            self.attributes.trees.spread(source, container)
            self.slots.watch_mask(source, lambda _: self.slots.add_edge(values, every), Made, Object, Unknown)

    def imported(self, code: ir.FunctionCode, made: ir.Import) -> None:
        """Bind the names of an import."""
        for name, qualified in made.bindings:
            self.attributes.resolve(qualified, self.file, self.heap.variable(code, name))
            if code is self.module:
                self.graph.fixtures.take_import(self.file, name, qualified)

    def attribute(self, code: ir.FunctionCode, made: ir.Attribute) -> None:
        """Read an attribute."""
        owner, is_spelled = self.register(code, made.obj), self.is_spelled(code, made.node.value)
        if is_spelled and made.name != NAME and place_of(self.file, made.node) not in (self.graph.sites or ()):
            self.shared[code, made.dst] = self.slots.slot("spelled", owner, made.name)  # each time it is the same
        slot = self.expression(code, made.dst, made.node)
        if slot not in self.attributes.owners:
            self.attributes.read(owner, made.name, slot, spelled=is_spelled)
        self.raw.named(made.name, made.node, owner, slot)

    def is_spelled(self, code: ir.FunctionCode, node: ast.expr) -> bool:
        """Return whether an expression is the name of a class or of an import, or attributes of one."""
        scope: ir.FunctionCode | None = code
        while isinstance(node, ast.Name) and scope is not None and node.id not in scope.local_names:
            scope = scope.parent
        is_class = isinstance(node, ast.Name) and scope and isinstance(scope.definitions.get(node.id), ir.ClassCode)
        return bool(is_class) or is_imported(code, node)

    def set_attribute(self, code: ir.FunctionCode, made: ir.SetAttribute) -> None:
        """Write an attribute of all objects of a class."""
        owner, source = self.register(code, made.obj), self.register(code, made.src)
        self.attributes.write(owner, made.name, source)
        self.note_written(code, made)
        if not isinstance(made.node, ast.Subscript):
            self.operators.write(owner, made.name, source, place_of(self.file, made.node))

    def note_written(self, code: ir.FunctionCode, made: ir.SetAttribute | ir.SetItem) -> None:
        """Note what is written to an attribute or to an element, with its place."""
        node = made.node
        if isinstance(node, ast.Attribute | ast.Subscript):
            owner, source = self.register(code, made.obj), self.register(code, made.src)
            self.attributes.written.append(Written(place_of(self.file, node), ast.unparse(node), owner, source))

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
        self.operators.call(owner, "__getitem__", [self.register(code, made.index)], slot)
        name = index.value if isinstance(index, ast.Constant) and isinstance(index.value, str | int) else None
        from_end = negative(index)
        self.heap.open(
            owner,
            self.heap.elements_pool,
            lambda value: items_of(self.heap, value, name, from_end),
            lambda part: self.slots.add_edge(part, slot),
            Container,
            Object,
        )
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
        self.operators.call(owner, "__setitem__", [self.register(code, made.index), source], nothing)
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
        if is_plain and not (isinstance(made.node, ast.List) and self.is_assigned(made.node)):
            return  # a shape, or numbers
        starred = any(starred for _, starred in made.items)
        container = Container(slot, None if starred else len(made.items))
        if isinstance(made.node, ast.Tuple):
            self.heap.tuples.add(slot)
        self.slots.put(slot, container)
        for index, (item, is_starred) in enumerate(made.items):
            if is_starred:
                self.heap.iterate(self.register(code, item), self.heap.element(container, None))
            else:
                self.slots.add_edge(self.register(code, item), self.heap.element(container, None if starred else index))

    def is_assigned(self, node: ast.AST) -> bool:
        """Return whether a display is assigned to a name, so that keys may be put into it later."""
        parents = self.graph.attributes.names.documents[self.file].parents
        return isinstance(parents.get(node), ast.Assign | ast.AnnAssign)

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
        """Apply an operator: ``+``, ``|`` and ``*`` give containers, and ``with`` enters contexts."""
        slot = self.expression(code, made.dst, made.node)
        if made.operation in ("Eq", "NotEq") and isinstance(made.node, ast.Compare):
            self.raw.compare(made.node, [self.register(code, operand) for operand in made.operands])
        operands = [self.register(code, operand) for operand in made.operands]
        if self.exchanges.apply(code, made, operands, slot):
            return
        containers = self.graph.calls.libraries.containers
        if isinstance(made.node, ast.AugAssign):
            self.slots.add_edge(operands[0], slot)  # it changes the object, where that can be changed
            if made.operation in EXTENDING:
                containers.extend(operands[0], operands[1])
        if made.operation == "BitOr":
            self.merge(code, made, slot)
        is_number = isinstance(made.node, ast.BinOp | ast.AugAssign | ast.UnaryOp)
        for number, operand in enumerate(operands):
            if is_number:
                self.slots.add_edge_of(operand, slot, KeyWords, Words)
            if made.operation in OVERLOADED:
                others = operands[:number] + operands[number + 1 :]
                self.operators.apply(operand, made.operation, others, slot)
            if made.operation == "with":
                self.enter(operand, slot)
            elif made.operation == "Add":
                self.operators.add(operand, slot)
                containers.join(operand, slot)
            elif made.operation == "Mult":
                self.slots.add_edge_of(operand, slot, Container)
                containers.join(operand, slot)

    def merge(self, code: ir.FunctionCode, made: ir.Binary, slot: Slot) -> None:
        """Make a dictionary of several: the result of ``|``, which is a number where there are none."""
        merged = Container(self.slots.slot("merged", slot), None)
        last = made.node.right if isinstance(made.node, ast.BinOp) else getattr(made.node, "value", None)
        keys = last.keys if isinstance(last, ast.Dict) else []
        names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        for operand in made.operands:
            source, without = self.register(code, operand), [] if operand == made.operands[-1] else names
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
        self.take_apart(source, targets, made.star)

    def take_apart(self, source: Slot, targets: list[Slot], star: int | None = None) -> None:
        """Copy the elements of a slot to targets, each its own where the lengths may agree; ``star`` takes any."""
        for index, target in enumerate(targets):

            def parts_of(value: Value, index: int = index) -> list[Slot]:
                if star is not None and index > star:
                    return parts_from_end(self.heap, value, index - len(targets))
                length = value.length if isinstance(value, Container) else len(targets)
                is_own = length in (None, len(targets)) if star is None else index < star
                return self.heap.parts_of(value, index if is_own else None)

            def hand(part: Slot, target: Slot = target) -> None:
                self.slots.add_edge(part, target)

            self.heap.open(source, self.heap.elements_pool, parts_of, hand, Container, Object)
            self.slots.add_edge_of(source, target, *WHOLE)
            self.heap.shift(source, target, -1)

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
        """Read a call; ``getattr``, ``setattr`` and ``namedtuple`` name attributes."""
        call = Call(
            place=place_of(self.file, made.node),
            node=made.node,
            callee=ast.unparse(made.node.func),
            function=self.register(code, made.func),
            arguments=tuple((self.register(code, register), starred) for register, starred in made.args),
            keywords=tuple((name, self.register(code, register)) for name, register in made.keywords),
            result=self.expression(code, made.dst, made.node),
            owner=None if made.owner is None else self.register(code, made.owner),
        )
        self.graph.calls.add(call, code, made.node)
        function, arguments = made.node.func, made.node.args
        callee = dotted_name(function).rpartition(".")[2]
        if callee in NAMING and len(made.args) > 1 and not any(starred for _, starred in made.args):
            self.named_attribute(code, made, reads=callee == "getattr")
        self.raw.made(call, made.node)
        if callee in NAMESPACES and not made.args:
            self.namespace(self.module if callee == "globals" else code, call)
        if callee == "property":
            given = [slot for keyword, slot in call.keywords if keyword == "fget"]
            self.properties[call.result] = [*(slot for slot, _ in call.arguments[:1]), *given]
        resolved = self.graph.attributes.names.documents[self.file].imports.resolve(dotted_name(function))
        made_of_names = getter(made.node, resolved, code)
        if made_of_names is not None:
            self.slots.put(call.result, Function(made_of_names))
            self.read_all(made_of_names)
        if callee == "TypedDict":
            self.slots.put(call.result, Library(DICT))
        if callee in MAKING_CLASSES and len(arguments) > 1:
            self.called_class(callee, call, arguments)

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

    def namespace(self, scope: ir.FunctionCode, call: Call) -> None:
        """Return the dictionary of the variables of a scope."""
        container = self.heap.made(call.result)
        for name in scope.local_names:
            self.slots.add_edge(self.heap.variable(scope, name), self.heap.element(container, name))

    def named_attribute(self, code: ir.FunctionCode, made: ir.Call, *, reads: bool) -> None:
        """Read or write an attribute by its name: that attribute, or any one where the name is no constant."""
        owner, name = self.register(code, made.args[0][0]), self.constants.get((code, made.args[1][0]))
        if reads:
            if code.name.rpartition(".")[2] in GETTING:
                self.slots.add_edge(owner, self.attributes.getting.object_in_place(code))
            target = self.register(code, made.dst)
            parents = self.graph.attributes.names.documents[self.file].parents
            spelled = [name] if isinstance(name, str) else spelled_names(made.node, parents)
            if spelled:
                for each in spelled:
                    self.attributes.read(owner, each, target)
            elif names_field(made.node, parents):
                self.attributes.read_any(owner, target)
                if isinstance(made.node.args[1], ast.Attribute):
                    self.attributes.reads_of_fields.append((owner, target))
            for default, _ in made.args[2:]:
                self.slots.add_edge(self.register(code, default), target)
            self.raw.named(str(name), made.node, owner, target)
        elif len(made.args) == 3 and not is_plain_write(code, made.node):
            source = self.register(code, made.args[2][0])
            parents = self.graph.attributes.names.documents[self.file].parents
            spelled = [name] if isinstance(name, str) else spelled_names(made.node, parents)
            for each in spelled:
                self.attributes.write(owner, each, source)
            if not spelled:
                self.attributes.write_any(owner, source)
            spelled = [ast.unparse(made.node.args[0]), *spelled[:1]]
            self.attributes.written.append(Written(place_of(self.file, made.node), ".".join(spelled), owner, source))

    def make_function(self, code: ir.FunctionCode, made: ir.MakeFunction) -> None:
        """Make a function, with its defaults and decorators."""
        inner, slot = made.code, self.register(code, made.dst)
        decorators: list[ast.expr] = getattr(inner.node, "decorator_list", [])
        value = self.mapped(inner, decorators)
        self.slots.put(slot, value)
        if inner.owner is not None:
            slot = self.decorated_method(inner, slot)
        for name, register, _ in made.defaults:
            self.slots.add_edge(self.register(code, register), self.heap.variable(inner, name))
        if inner.owner is not None and inner.parameters and inner.kind not in ("staticmethod", "classmethod"):
            self.slots.put(self.heap.variable(inner, inner.parameters[0]), Object(inner.owner))
        for node, register in zip(decorators, made.decorators, strict=True):
            self.decorate(node, self.register(code, register), value, slot)
            if dotted_name(node.func if isinstance(node, ast.Call) else node).endswith(".parametrize"):
                self.parametrize(node, inner)
        self.graph.fixtures.take_function(self.file, inner, decorators)

    def mapped(self, function: ir.FunctionCode, decorators: list[ast.expr]) -> Function | Partial:
        """Return a function as its decorators map it over axes; a method is only widened."""
        mapped = NOT_MAPPED
        is_paired = False
        for node in reversed(decorators) if function.owner is None else ():
            outer = self.mapping(node)
            if isinstance(node, ast.Call) and self.transformation(node) in MAPPING and takes_words(node):
                give_words(self.heap, function)
            mapped = (outer and mapped.within(outer)) or mapped
            is_paired |= self.transformation(node) == "value_and_grad"
        return Partial(function, 0, mapped, is_paired) if mapped.axes != 0 or is_paired else Function(function)

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
        transform = names.model(names.documents[self.file].imports.resolve(dotted_name(function)) or "").transform
        return transform.kind if transform is not None else ""

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
                    self.take_apart(case, targets)
                else:
                    for target in targets:
                        self.heap.copy_elements(slot, target)

    def decorate(self, node: ast.expr, decorator: Slot, decorated: Function | Partial, slot: Slot) -> None:
        """Apply a decorator; keys among its arguments reach the function, as in pytest."""
        inner = decorated.code
        if isinstance(decorated, Partial) and self.mapping(node) is not None:
            return

        def apply(value: Value) -> None:
            if isinstance(value, Key | Container):
                for name in inner.parameters:
                    self.slots.put(self.heap.variable(inner, name), value)
            elif isinstance(value, Unknown):
                self.slots.put(slot, value)
            elif not (isinstance(value, Function) and hands_on(value.code)):
                self.graph.calls.hand(value, decorated, slot, place_of(self.file, node))

        self.slots.watch(decorator, apply)

    def metaclass(self, class_: ir.ClassCode) -> Iterator[Slot]:
        """Yield the slot of a metaclass of the project, whose methods the class has; one of a library is left out."""
        for option in class_.node.keywords:
            for slot in self.graph.expressions.get(place_of(self.file, option.value), ()):
                if option.arg == "metaclass":
                    own = self.slots.slot("metaclass", class_)
                    self.slots.add_edge_of(slot, own, Class)
                    yield own

    def make_class(self, code: ir.FunctionCode, made: ir.MakeClass) -> None:
        """Make a class."""
        if self.graph.attributes.names.is_plain(self.file, made.code.node):
            self.heap.classes.plain.add(made.code)
        self.slots.put(self.register(code, made.dst), Class(made.code))
        bases = [*(self.register(code, base) for base in made.bases), *self.metaclass(made.code)]
        self.heap.classes.add(made.code, bases)
        outer, self.bodies[code] = self.bodies.get(code), made.code
        self.block(code, made.body)
        self.bodies[code] = outer


def owners(tree: ast.Module) -> set[ast.AST]:
    """Return the expressions of which an attribute or element is read, and that it does not change."""
    reads = [node for node in every_node(tree) if isinstance(node, ast.Attribute | ast.Subscript)]
    return {node.value for node in reads if isinstance(node.ctx, ast.Load) and getattr(node, "attr", "") not in FILLING}


def copied_dictionary(made: ast.DictComp) -> ast.expr | None:
    """Return the dictionary that is copied under the same names: ``d`` of ``{k: v for k, v in d.items()}``."""
    match made.generators:
        case [
            ast.comprehension(
                target=ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=value)]),
                iter=ast.Call(func=ast.Attribute(value=copied, attr="items"), args=[]),
            )
        ] if ast.unparse(made.key) == name and ast.unparse(made.value) == value:
            return copied
    return None


def names_field(call: ast.Call, parents: Parents) -> bool:
    """Return whether the name of an attribute is one of all fields, as in a loop over them."""
    name = call.args[1]
    if isinstance(name, ast.Attribute):
        return name.attr == "name"
    loop = loop_over(name, call, parents)
    return loop is not None and FIELDS.search(ast.unparse(loop.iter)) is not None


def is_plain_write(code: ir.FunctionCode, call: ast.Call) -> bool:
    """Return whether a call in ``__setattr__`` writes the attribute that this was called for, as it is given."""
    is_special = code.name.rpartition(".")[2] == "__setattr__"
    return is_special and list(code.parameters) == [ast.unparse(each) for each in call.args]


def spelled_names(call: ast.Call, parents: Parents) -> list[str]:
    """Return the names of attributes in a loop over a list that spells out all of them; nothing for another loop."""
    loop = loop_over(call.args[1], call, parents)
    written = [each for each in (ast.walk(loop) if loop is not None else ()) if isinstance(each, ast.Name)]
    if sum(isinstance(each.ctx, ast.Store) and each.id == ast.unparse(call.args[1]) for each in written) > 1:
        return []
    names = loop.iter.elts if loop is not None and isinstance(loop.iter, ast.List | ast.Set | ast.Tuple) else []
    spelled = [each.value for each in names if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return spelled if len(spelled) == len(names) else []


def loop_over(name: ast.expr, inside: ast.AST, parents: Parents) -> ast.For | ast.comprehension | None:
    """Return the loop around an expression whose variable is a name."""
    around: ast.AST | None = inside
    while around is not None and isinstance(name, ast.Name):
        loops = [around] if isinstance(around, ast.For) else getattr(around, "generators", [])
        for loop in loops:
            if ast.unparse(loop.target) == name.id:
                assert isinstance(loop, ast.For | ast.comprehension)
                return loop
        around = parents.get(around)
    return None


def negative(index: ast.expr) -> int:
    """Return an index that counts from the end; 0 for another one."""
    match index:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return 0


def axes_of(code: ir.FunctionCode, index: ast.expr) -> int | None:
    """Return by how many axes a subscript changes the rank of an array; ``None`` if an index may be an array.

    Args:
        code: the function or module of the subscript.
        index: the index.
    """
    axes = 0
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(parts) > 1 and isinstance(parts[0], ast.Slice):
        return None  # a column of `keys[:, 0]` has words
    for part in parts:
        match part:
            case ast.Constant(value=None):
                axes += 1
            case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
                axes -= 1
            case ast.Call(func=ast.Name(id="int" | "len")):
                axes -= 1
            case ast.Call(func=ast.Attribute(attr="argmax" | "argmin"), args=[_], keywords=[]) if is_imported(
                code, part.func
            ):  # of all elements
                axes -= 1
            case ast.Slice() | ast.Constant(value=str()):  # of a tree with such keys
                pass
            case _:
                return None
    return axes


def _is_property(class_: ir.ClassCode, name: str) -> bool:
    return name in class_.methods and class_.methods[name].is_property


def constant_names(node: ast.expr) -> list[str]:
    """Return the names in ``"a b"``, ``["a", "b"]`` or ``[("a", int), "b"]``."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    parts = [part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in parts]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ".join(texts).replace(",", " ").split()


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
