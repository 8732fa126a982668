"""Reads and writes of attributes, and the resolution of qualified names."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.notes.pytrees import class_names, is_plain_base, qualified_name, registered_by_calls
from olympus_rules.libraries import Libraries, Model
from olympus_rules.libraries.names import PLAIN_DECORATORS, canonical
from olympus_rules.reach.reading.sites import Written
from olympus_rules.reach.solver.classes import bound
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import MOST_TOLD_APART, Slot, nothing
from olympus_rules.reach.solver.trees import Trees
from olympus_rules.reach.solver.values import (
    FEW,
    Class,
    Container,
    Function,
    Key,
    Library,
    Made,
    Member,
    Module,
    Object,
    Super,
    Unknown,
    Value,
)
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import is_namespace, locate_name, module_file

PASSING = frozenset({"T", "mT", "at", "real", "value"})
"""Attributes of a key array that are the same keys, and that of the member of an enumeration."""
MOST_NAMES = 12
"""The most names in a row that are read from a library."""
GETTING = ("__getattr__", "__getattribute__")
"""Methods that give the attributes that an object does not have."""
OF_ARRAYS = frozenset({"dtype", "ndim", "shape", "size"})
"""Attributes of arrays that are no keys."""
WITHOUT_CLASS = (Key, Library, Made, Module, Super, Unknown, Function)
"""Values with attributes, and no class that they are read from."""


@dataclass(frozen=True, slots=True)
class Names:
    """The modules and libraries against which names are resolved.

    Attributes:
        documents: the files by their absolute path.
        modules: their code.
        roots: the names under which the JAX namespace may be imported.
        libraries: what is known of libraries.
        registered: the names of classes that a call may register as pytrees.
        links: the files by other paths that lead to them.
    """

    documents: Mapping[str, Document]
    modules: Mapping[str, ir.FunctionCode]
    roots: tuple[str, ...]
    libraries: Libraries
    registered: frozenset[str] = frozenset()
    links: dict[str, str] = field(default_factory=dict)

    def file_of(self, path: Path) -> str | None:
        """Return the path under which a file was read, also if the given path has a symbolic link."""
        given = str(path)
        if given in self.modules:
            return given
        if not self.links:
            self.links.update({os.path.realpath(each): each for each in self.modules})
        if given not in self.links:
            self.links[given] = self.links.get(os.path.realpath(given), "")
        return self.links[given] or None

    def is_part(self, roots: Iterable[Path], name: str) -> bool:
        """Return whether a name is that of a package without an ``__init__`` that has modules of the project."""
        if "." in name or not is_namespace(tuple(roots), name):
            return False
        folders = tuple(f"{root / name}{os.sep}" for root in roots)
        return any(path.startswith(folders) for path in self.modules)

    def canonical(self, qualified: str) -> str:
        """Return a qualified name under ``jax``."""
        return canonical(qualified, self.roots)

    def model(self, qualified: str) -> Model:
        """Return the model of a library function."""
        return self.libraries.get(canonical(qualified, self.roots))

    def is_plain(self, file: str, node: ast.ClassDef) -> bool:
        """Return whether the objects of a class are surely no pytrees: nothing registers it or any of its bases."""
        name = partial(qualified_name, self.documents[file].imports)
        is_registered = not self.registered.isdisjoint((node.name, "*"))
        decorators_are_plain = PLAIN_DECORATORS.issuperset(map(name, node.decorator_list))
        return not is_registered and decorators_are_plain and all(map(is_plain_base, map(name, node.bases)))

    def is_in_file(self, qualified: str, file: str) -> bool:
        """Return whether the module of a qualified name is one of the files."""
        roots = self.documents[file].roots
        found = locate_name(roots, qualified)
        path = module_file(roots, qualified) if found is None else found[0]
        return path is not None and self.file_of(path) is not None


def registered_names(documents: Iterable[Document]) -> frozenset[str]:
    """Return the names in calls that register classes as pytrees; ``*`` for a class that is computed."""
    texts = [each.text for each in documents]
    classes = set[str]().union(*map(class_names, texts))
    return frozenset(name for text in texts for name in registered_by_calls(text, classes))


class Attributes:
    """Reads and writes of attributes.

    Attributes:
        heap: where values are kept.
        trees: the attributes of objects as one, and the leaves of pytrees.
        names: what names are resolved against.
        reads: attributes that were read: the object, the name, and the result.
        vague: those of objects that may be of any class: the name and the result.
        writes: attributes that were written: the object, the name, and the value.
        copies: the new values in copies of objects, likewise; ``None`` is a dictionary of them.
        written: the attributes and elements that were written, with their places.
        owners: the object of each result.
    """

    def __init__(self, heap: Heap, names: Names) -> None:
        """Start without any read or write."""
        self.heap = heap
        self.slots = heap.slots
        self.trees = Trees(heap)
        self.classes = heap.classes
        self.names = names
        self.reads: list[tuple[Slot, str, Slot]] = []
        self.vague: set[tuple[str, Slot]] = set()
        self.writes: list[tuple[Slot, str, Slot]] = []
        self.copies: list[tuple[Slot, str | None, Slot]] = []
        self.written: list[Written] = []
        self.owners: dict[Slot, Slot] = {}
        self._parts: dict[Slot, dict[str, None]] = {}

    def attribute(self, name: str) -> Slot:
        """Return the slot of an attribute of any object: all that is written under its name.

        A container there stays as it is, until the attribute is read from an object of unknown class.
        """
        slot = self.slots.slot("attribute", name)
        if self.slots.once("names", name):
            self.heap.shift(slot, slot, None)
        return slot

    def loose(self, name: str) -> Slot:
        """Return the slot of what is written under a name to objects of unknown class."""
        slot = self.slots.slot("loose", name)
        self.heap.widen(slot)
        return slot

    def set_field(self, code: ir.ClassCode, name: str, source: Slot) -> None:
        """Write an attribute of the objects of a class; an object that is a pytree may be a batch of objects."""
        if code not in self.classes.plain:
            self.heap.widen(self.classes.fields.write(code, name))
        self.slots.add_edge(source, self.classes.fields.write(code, name))
        self.slots.add_edge(source, self.attribute(name))

    def set_fields(self, code: ir.ClassCode | None, source: Slot) -> None:
        """Write the attributes of the objects of a class, or of an unknown one, that the dictionaries of a slot have.

        Of very many dictionaries, what they have is written to each attribute that is known of the class.
        """
        if not self.slots.once("fields of dictionaries", code, source):
            return

        def hand(name: str | int | None, part: Slot) -> None:
            if isinstance(name, str):
                self.set_named(code, name, part)

        def write(value: Container) -> None:
            self.heap.listening[value.display].append(hand)
            for name, part in tuple(self.heap.named_elements(value).items()):
                hand(name, part)

        def rest() -> None:
            if code is None:
                return
            every = self.slots.slot("fields of many", source)
            self.heap.iterate(source, every)
            self.heap.widen(every)
            self.trees.set_any(Object(code), every)
            for name in dict.fromkeys((*code.fields, *self.classes.fields.names_of(code))):
                self.slots.add_edge_of(every, self.attribute(name), Key, Container)

        self.slots.watch_few(source, write, rest, Container)

    def set_named(self, code: ir.ClassCode | None, name: str | None, source: Slot) -> None:
        """Write an attribute of the objects of a class, or of an unknown one; ``None`` is a dictionary of them."""
        if name is None:
            self.set_fields(code, source)
        elif code is None:
            self.set_loose(name, source)
        else:
            self.set_field(code, name, source)

    def set_loose(self, name: str, source: Slot) -> None:
        """Write an attribute of an object of unknown class."""
        self.classes.fields.write_loose(name, self.loose(name))
        self.slots.add_edge(source, self.loose(name))
        self.slots.add_edge(source, self.attribute(name))

    def read(self, owner: Slot, name: str, slot: Slot, *, spelled: bool = False) -> None:
        """Read an attribute of the values of a slot.

        Of very many objects and classes, it counts as an attribute of any object. Most of many objects are there by a
        merger of values, and their special methods are not called.
        """
        self.heap.origins[slot] = owner if name in PASSING else self.attribute(name)
        self.owners[slot] = owner
        each = partial(self.of_value, name=name, slot=slot, spelled=spelled)

        def every(fresh: int) -> None:
            for value in self.slots.listed(fresh):
                each(value)

        self.slots.watch_mask(owner, every, *WITHOUT_CLASS)  # a mask counts as one value
        self.slots.watch_few(owner, each, lambda: self.vague.add((name, slot)), Class, Object)
        if self.may_be_given(name):
            in_place = partial(self.give_in_place, name=name, slot=slot)
            self.slots.watch_few(owner, in_place, nothing, Object, most=FEW)
        if name == "__class__":
            self.trees.class_of(owner, slot)
        self.reads.append((owner, name, slot))

    def may_be_given(self, name: str) -> bool:
        """Return whether a special method of an object may give an attribute, or one of the object in its place."""
        return any(map(self.classes.has_method, GETTING)) and not name.startswith("__") and name not in OF_ARRAYS

    def give_in_place(self, owner: Object, name: str, slot: Slot) -> None:
        """Read an attribute that an object does not have, but gives by a method: perhaps that of any other object."""
        if self.classes.writes(owner.code, name) or not self.classes.defines(owner.code, GETTING):
            return
        for special in () if self.classes.defines(owner.code, (name,)) else GETTING:
            self.heap.ask(owner, special, slot)
            self.vague.add((name, slot))

    def of_value(self, value: Value, name: str, slot: Slot, *, spelled: bool = False) -> None:
        """Read an attribute of one value.

        The name of a library function grows only where it is ``spelled`` out. Where a class is, no subclass is meant.
        """
        if isinstance(value, Key) and name in PASSING:
            self.slots.put(slot, value)
        elif isinstance(value, Module):
            self.resolve(f"{value.name}.{name}", value.path, slot)
        elif isinstance(value, Library):
            self.slots.put(slot, self.part_of_library(value, name, slot) if spelled else value)
        elif isinstance(value, Made):
            self.slots.put(slot, value)
            self.slots.add_edge(self.loose(name), slot)
            self.give_held(value, slot)
        elif isinstance(value, Function):
            self.slots.add_edge(self.loose(name), slot)
            if name == "__wrapped__":
                self.slots.put(slot, value)
        elif isinstance(value, Unknown) and name == "__dict__":
            self.trees.give_namespace(value, slot)
        elif isinstance(value, Unknown) and value.kind != "objects":  # an object has methods of the project
            self.slots.put(slot, value)
        elif isinstance(value, Super):
            owner, above = Object(value.code), self.classes.above(value.code, name)
            self.slots.watch(above, lambda method: self.take_member(method, owner, slot))
            self.slots.add_edge(self.classes.fields.read(value.code, name), slot)
        elif isinstance(value, Object) and name == "__dict__":
            self.trees.give_namespace(value, slot)
        elif isinstance(value, Class | Object):
            self.slots.add_edge(self.loose(name), slot)
            self.slots.add_edge(self.classes.fields.read(value.code, name), slot)
            is_exact = spelled and isinstance(value, Class) and self.classes.has_method(name)
            member = (self.classes.own_member if is_exact else self.classes.member)(value.code, name)
            self.slots.watch(member, lambda method: self.take_member(method, value, slot))

    def part_of_library(self, value: Library, name: str, slot: Slot) -> Library | Made:
        """Return an attribute of a library value: something of the library where its name would grow on and on.

        A name grows so where a variable is bound to an attribute of itself, as in ``np = np.linalg``: what is read
        from was read by the same expression before.
        """
        made = self._parts.setdefault(slot, {})
        part = Library(f"{value.qualified}.{name}")
        is_deep = value.qualified.count(".") >= MOST_NAMES or any(
            part.qualified.startswith(f"{each}.") for each in made
        )
        if part.qualified not in made and (is_deep or len(made) >= MOST_TOLD_APART):
            return Made(value.qualified.partition(".")[0])
        made[part.qualified] = None
        return part

    def give_held(self, value: Made, slot: Slot) -> None:
        """Give as an attribute the keys beside an object of Python's library, which may be what it was made of."""
        if slot in self.owners and value.qualified.partition(".")[0] in sys.stdlib_module_names:
            self.slots.add_edge_of(self.owners[slot], slot, Key)

    def write(self, owner: Slot, name: str, source: Slot) -> None:
        """Write an attribute of the values of a slot."""

        def write(value: Value) -> None:
            if isinstance(value, Class | Object):
                self.set_field(value.code, name, source)
            elif isinstance(value, Unknown):
                self.set_loose(name, source)

        self.slots.watch(owner, write, Class, Object, Unknown)
        self.writes.append((owner, name, source))

    def write_copy(self, owner: Slot, given: Iterable[tuple[str | None, Slot]]) -> None:
        """Write attributes of copies of the objects of a slot, by their names; ``None`` is a dictionary of them."""

        def write(value: Value, name: str | None, source: Slot) -> None:
            self.set_named(value.code if isinstance(value, Class | Object) else None, name, source)

        for name, source in given:
            self.slots.watch(owner, partial(write, name=name, source=source), Class, Made, Object, Unknown)
            self.copies.append((owner, name, source))

    def write_to_unknown(self) -> None:
        """Write what was written to attributes of objects that are not known; a module is no object that is copied."""
        for owner, name, source in self.writes:
            if not self.slots.mask(owner) & self.slots.of_kinds(Class, Object):
                self.set_loose(name, source)
        for owner, attribute, source in self.copies:
            if not self.slots.mask(owner) & self.slots.of_kinds(Class, Object, Library, Module):
                self.set_named(None, attribute, source)

    def read_any(self, owner: Slot, slot: Slot) -> None:
        """Read an attribute of unknown name of the objects of a slot."""

        def read(value: Value) -> None:
            fields = self.trees.fields(value) if isinstance(value, Object) else self.trees.lost_fields()
            self.slots.add_edge(fields, slot)

        self.slots.watch(owner, read, Object, Unknown)

    def write_any(self, owner: Slot, source: Slot) -> None:
        """Write an attribute of unknown name of the objects of a slot."""

        def write(value: Value) -> None:
            if isinstance(value, Unknown):
                self.trees.set_lost(source)
            self.trees.set_any(value, source)

        self.slots.watch(owner, write, Object, Unknown)

    def take_member(self, method: Value, owner: Object | Class, slot: Slot) -> None:
        """Put a method, read from an object or a class, into a slot; of a property, its result."""
        if isinstance(method, Made):
            self.slots.put(slot, method)
        if not isinstance(method, Member):
            return
        if method.code.kind == "classmethod" and method.code.parameters:
            self.slots.put(self.heap.variable(method.code, method.code.parameters[0]), Class(owner.code))
        if method.code.is_property and isinstance(owner, Object):
            self.slots.add_edge(self.heap.result(method.code), slot)
        else:
            self.slots.put(slot, bound(method, owner))

    def resolve(
        self, qualified: str, file: str, slot: Slot, *, by_star: bool = False, seen: set[str] | None = None
    ) -> bool:
        """Put the value of a qualified name into a slot; return whether there is one.

        There is none for a name that a star does not import; ``seen`` are the names that stars have led to: each is
        looked at once, as many ways of stars may lead to it.
        """
        document = self.names.documents[file]
        path = module_file(document.roots, qualified)
        holder = self.names.file_of(path) if path is not None else None
        if holder is not None:
            self.slots.put(slot, Module(qualified, holder))
            return True
        found = locate_name(document.roots, qualified)
        holder = self.names.file_of(found[0]) if found is not None else None
        if found is None or holder is None:
            is_part = self.names.is_part(document.roots, qualified)
            self.slots.put(slot, Module(qualified, file) if is_part else Library(qualified))
            return True
        first, *others = found[1].split(".")
        module = self.names.modules[holder]
        if first not in module.local_names:
            seen = {qualified} if seen is None else seen
            stars = [star for star in module.stars if not qualified.startswith(f"{star}.")]  # else it has no file here
            is_given = False
            for each in (".".join([star, first, *others]) for star in stars):
                if each not in seen:
                    seen.add(each)
                    is_given |= self.resolve(each, holder, slot, by_star=True, seen=seen)
            if is_given or by_star:
                return is_given
            self.slots.put(slot, Library(qualified))  # a compiled or lazy module, or a library with the file's name
            return True
        step = self.heap.variable(module, first)
        for number, name in enumerate(others):
            target = self.slots.slot("name", qualified, number)
            self.slots.watch(step, partial(self.of_value, name=name, slot=target))
            step = target
        self.slots.add_edge(step, slot)
        return True
