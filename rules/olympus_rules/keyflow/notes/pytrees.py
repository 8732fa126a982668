"""Finds classes that are surely not registered as pytrees, and classes that stand for arrays."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from olympus_rules.code.instructions import ClassCode
from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.values import Class, Library
from olympus_rules.libraries.names import (
    PLAIN_BASES,
    PLAIN_DECORATORS,
    PLAIN_METACLASS,
    PLAIN_PREFIXES,
    TREE_UTIL,
    VARIABLES,
)
from olympus_rules.syntax.imports import ImportTable
from olympus_rules.syntax.project import locate_name

PROTOCOL = "__jax_array__"
CALL = re.compile(r"\b(register\w*)\(([^()]*)")
CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)", re.M)
NAME = re.compile(r"[A-Za-z_][\w.]*")
REGISTERING = ("register_pytree", "register_dataclass", "register_static")


@dataclass(slots=True, frozen=True)
class ArrayClass:
    """A class whose objects stand for arrays.

    Attributes:
        name: its name.
        plain: whether it is surely not registered as a pytree.
        definition: its definition in this file.
        place: the file and the line of another file, empty for this one.
    """

    name: str
    plain: bool
    definition: ast.ClassDef | None = None
    place: str = ""


class OwnTraits(NamedTuple):
    """The traits of a class without its bases.

    Attributes:
        line: the line of its definition.
        registered: whether it is, or may be, registered as a pytree.
        inert: whether nothing that its subclasses inherit from it can register them.
    """

    line: int
    registered: bool
    inert: bool


def variable_class(qualified: str) -> ClassCode | None:
    """Return the class of a library's variables with the protocol; they are pytrees."""
    if qualified not in VARIABLES:
        return None
    name = qualified.rpartition(".")[2]
    return ClassCode(name, ast.ClassDef(name, [], [], [], []), home=qualified, kinds={PROTOCOL: "method"})


class Pytrees:
    """The evidence about classes in one file."""

    def __init__(self, file: File) -> None:
        """Take the tables of the file."""
        self._file, self._linker = file, file.linker
        self._classes: dict[ClassCode, ArrayClass | None] = {}
        self._own: dict[ClassCode, OwnTraits] = {}
        self._registered: frozenset[str] | None = None

    def array_class(self, class_: ClassCode) -> ArrayClass | None:
        """Return the description of a class whose objects stand for arrays, ``None`` for any other class."""
        if class_ not in self._classes:
            self._classes[class_] = None
            if class_.home in VARIABLES or self._linker.hierarchy.method(class_, PROTOCOL) is not None:
                self._classes[class_] = self._described(class_)
        return self._classes[class_]

    def _described(self, class_: ClassCode) -> ArrayClass:
        plain = not self.is_registered(class_) and all(
            self.is_inert(part) and self._has_known_bases(part) for part in self._linker.hierarchy.ancestry(class_)
        )
        if not class_.home:
            return ArrayClass(class_.name, plain, class_.node)
        found = locate_name(self._file.document.roots, class_.home)
        place = f"line {class_.line} of {self._shown(found[0])}" if found is not None and class_.line else ""
        return ArrayClass(class_.name, plain, None, place)

    def _shown(self, path: Path) -> str:
        """Return the path of another file, relative to the folder that holds its package."""
        roots = [root for root in self._file.document.roots if path.is_relative_to(root)]
        return str(path.relative_to(roots[0])).replace(os.sep, "/") if roots else path.name

    def own(self, class_: ClassCode) -> OwnTraits:
        """Return the traits of a class of this file without its bases."""
        if class_ not in self._own:
            self._own[class_] = OwnTraits(
                class_.node.lineno, self._is_registered(class_.node), self._is_inert(class_, class_.node)
            )
        return self._own[class_]

    def is_registered(self, class_: ClassCode) -> bool:
        """Return whether a class itself is, or may be, registered: by a decorator or by a call."""
        if class_.home:
            return class_.registered or class_.name in self._calls()
        return self.own(class_).registered

    def is_inert(self, class_: ClassCode) -> bool:
        """Return whether nothing that subclasses inherit from this class can register them."""
        return class_.inert if class_.home else self.own(class_).inert

    def _is_registered(self, node: ast.ClassDef) -> bool:
        decorated = any(self._qualified(decorator) not in PLAIN_DECORATORS for decorator in node.decorator_list)
        return decorated or not self._calls().isdisjoint((node.name, "*"))

    def _is_inert(self, class_: ClassCode, node: ast.ClassDef) -> bool:
        decorators = {self._qualified(decorator) for decorator in node.decorator_list}
        if any(not name.startswith(TREE_UTIL) for name in decorators - PLAIN_DECORATORS):
            return False
        if any(part.arg != "metaclass" or self._qualified(part.value) != PLAIN_METACLASS for part in node.keywords):
            return False
        if not {"__init_subclass__", "tree_flatten", "tree_unflatten"}.isdisjoint(class_.methods):
            return False
        values = self._linker.hierarchy.bases.get(class_, [])
        return len(values) == len(node.bases) and all(
            isinstance(value, Class | Library) or is_plain_base(self._qualified(base))
            for base, value in zip(node.bases, values, strict=True)
        )

    def _has_known_bases(self, class_: ClassCode) -> bool:
        """Return whether each base of a class is a project class, or registers nothing."""
        hierarchy = self._linker.hierarchy
        bases = [base for base in hierarchy.bases.get(class_, ()) if isinstance(base, Library)]
        return all(is_plain_base(base.qualified) or hierarchy.known_class(base) is not None for base in bases)

    def _calls(self) -> frozenset[str]:
        """Return the names of classes that calls in this file may register; ``*`` for a computed name."""
        if self._registered is None:
            text = self._file.document.text
            classes = class_names(text).union(self._file.module.imported) if "register" in text else ()
            self._registered = frozenset(registered_by_calls(text, classes))
        return self._registered

    def _qualified(self, node: ast.expr) -> str:
        return self._linker.names.library(qualified_name(self._file.document.imports, node)).qualified


def class_names(text: str) -> set[str]:
    """Return the names of the classes that a text defines."""
    return set(CLASS.findall(text))


def registered_by_calls(text: str, classes: Collection[str]) -> Iterator[str]:
    """Yield the names of classes that calls in a text may register; ``*`` for a computed name.

    They are found in the text: walking the trees of all files that register anything takes too long.
    """
    for call in CALL.finditer(text) if "register" in text else ():
        names = [name.rpartition(".")[2] for name in NAME.findall(call[2])]
        yield from names
        around = text.rfind("def ", 0, call.start())
        heirs = text.startswith("def __init_subclass__", around)  # it registers subclasses
        if call[1].startswith(REGISTERING) and not heirs and not {*names[:1]}.intersection(classes):
            yield "*"  # `for cls in (A, B): register_static(cls)`


def qualified_name(imports: ImportTable, node: ast.expr) -> str:
    """Return the qualified name of a decorator or base without its arguments, empty if it has none."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    written = dotted_name(node)
    return "" if "?" in written else imports.resolve(written) or f"builtins.{written}"


def is_plain_base(qualified: str) -> bool:
    """Return whether a library's base class registers nothing."""
    return qualified in PLAIN_BASES or qualified.startswith(PLAIN_PREFIXES)
