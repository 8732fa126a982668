"""Which fixtures a test gets under pytest: those that are nearest to it, by the names of its parameters.

A test looks for a fixture in its own class, in its module, and in the ``conftest.py`` of its folder and of each one
above. A fixture looks for others where the test does that uses it, so it may get different ones in different files.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.reach.attributes import Names
from olympus_rules.reach.heap import Heap
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.project import locate_name, module_file

__all__ = ["Fixtures", "is_fixture_maker"]

CONFTEST = "conftest.py"
EVERYTHING = "*"
"""Stands for all names of a module."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A test or a fixture, whose parameters ask for fixtures.

    Attributes:
        file: its file.
        code: its function.
        name: the name by which it is asked for; empty for a test.
        is_renamed: whether that is not the name of its function.
    """

    file: str
    code: FunctionCode
    name: str = ""
    is_renamed: bool = False

    @property
    def own_name(self) -> str:
        """The name of its function, or of the class around that."""
        return self.code.name.partition(".")[0]

    @property
    def is_of_module(self) -> bool:
        """Whether it is at the level of its module."""
        return self.code.owner is None and self.code.parent is not None and self.code.parent.kind == "module"

    def is_inside(self, class_: ClassCode) -> bool:
        """Return whether it lies in the lines of a class of its file, at any depth."""
        line = getattr(self.code.node, "lineno", 0)
        return class_.node.lineno <= line <= (class_.node.end_lineno or 0)


class Fixtures:
    """The fixtures of a project, and the tests and fixtures that ask for them."""

    def __init__(self, heap: Heap, names: Names) -> None:
        """Start without any fixture."""
        self._heap = heap
        self._names = names
        self._asking: list[Asking] = []
        self._by_name: dict[str, list[Asking]] = defaultdict(list)
        self._bound: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def take_function(self, file: str, code: FunctionCode, decorators: list[ast.expr]) -> None:
        """Take a function, if it is a test or a fixture."""
        name = code.name.rpartition(".")[2]
        makers = [node for node in decorators if is_fixture_maker(node)]
        if makers:
            asked = next(filter(None, map(given_name, makers)), name)
            self._asking.append(Asking(file, code, asked, asked != name))
            self._by_name[asked].append(self._asking[-1])
        elif name.startswith("test"):
            self._asking.append(Asking(file, code))

    def take_import(self, file: str, name: str, qualified: str) -> None:
        """Take a name that an import binds in a module; a star binds ``*``."""
        self._bound[file][name].append(qualified)

    def hand_over(self) -> None:
        """Copy what fixtures return to the parameters that ask for them."""
        for asking in self._asking if self._by_name else ():
            for parameter in asking.code.parameters:
                for fixture in dict.fromkeys(self._given(asking, parameter)):
                    result = self._heap.result(fixture.code)
                    self._heap.slots.add_edge(result, self._heap.variable(asking.code, parameter))

    def _given(self, asking: Asking, name: str) -> list[Asking]:
        """Return the fixtures that a parameter may get."""
        found = [each for each in self._by_name.get(name, ()) if self._is_of_other_class(each, asking)]
        nearest = self._around(asking, name)
        if not nearest:
            for file in self._users(asking):
                found += self._above(asking, file, name)
        return found + nearest

    def _around(self, asking: Asking, name: str) -> list[Asking]:
        """Return the fixtures of the innermost class around a test that has some of a name."""
        found: dict[ClassCode, list[Asking]] = defaultdict(list)
        for each in self._by_name.get(name, ()):
            owner = each.code.owner
            if owner is not None and each.file == asking.file and asking.is_inside(owner):
                found[owner].append(each)
        beside = [owner for owner, fixtures in found.items() if asking in fixtures]
        last = beside[0].node.lineno if beside else float("inf")  # a fixture that asks for its name means one outside
        outer = [owner for owner in found if owner.node.lineno < last]
        return found[max(outer, key=lambda owner: owner.node.lineno)] if outer else []

    def _is_of_other_class(self, fixture: Asking, asking: Asking) -> bool:
        """Return whether a test gets a fixture of its class that this inherits, or that a subclass overrides.

        A fixture of a module is used by tests in classes, which may have some of their own.
        """
        owner = fixture.code.owner
        if owner is None or (fixture.file == asking.file and asking.is_inside(owner)):
            return False
        if asking.code.owner is None:
            return bool(asking.name) and fixture.file in self._users(asking)
        names = owner.name, asking.code.owner.name
        return names[0] in self._ancestors(names[1]) or names[1] in self._ancestors(names[0])

    def _ancestors(self, class_: str) -> set[str]:
        """Return the names of a class and of all classes above; those of one name are not told apart."""
        found, waiting = {class_}, [class_]
        while waiting:
            fresh = self._bases.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found

    @cached_property
    def _bases(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for file, document in self._names.documents.items():
            for class_ in [node for node in every_node(document.tree) if isinstance(node, ast.ClassDef)]:
                for written in map(dotted_name, class_.bases):
                    imported = self._bound[file].get(written, ())
                    found[class_.name].update(each.rpartition(".")[2] for each in (written, *imported))
        return found

    def _above(self, asking: Asking, file: str, name: str) -> list[Asking]:
        """Return the fixtures of a name that a test in a file gets of the nearest module; else any in the project."""
        folders = Path(file).parents
        modules = dict.fromkeys([file, *(str(folder / CONFTEST) for folder in folders)])
        levels = [module for module in modules if module in self._names.modules]
        found = [self._provided(level, name) for level in levels]
        inside = [number for number, fixtures in enumerate(found) if asking in fixtures]
        for level, fixtures in list(zip(levels, found, strict=True))[inside[0] + 1 if inside else 0 :]:
            if fixtures:
                is_plugin = asking.name and not self._is_used_by_name(asking)
                return self._by_name[name] if is_plugin else fixtures
            if name in self._names.modules[level].local_names:
                break  # it may be a fixture that something else makes
        return self._by_name.get(name, [])

    def _is_used_by_name(self, fixture: Asking) -> bool:
        """Return whether tests find a fixture by its file, and not in a plugin, which any of them may use."""
        return Path(fixture.file).name == CONFTEST or any(file in self._tested for file in self._users(fixture))

    @cached_property
    def _tested(self) -> dict[str, None]:
        """The files with tests."""
        return dict.fromkeys(each.file for each in self._asking if not each.name)

    def _provided(self, file: str, name: str) -> list[Asking]:
        """Return the fixtures of a name that a module defines or imports."""
        renamed = {each.own_name for each in self._by_name.get(name, ()) if each.is_renamed}
        found = [each for each in self._at(file, name, ()) if not each.is_renamed]
        return found + [each for own in renamed for each in self._at(file, own, ()) if each.name == name]

    def _at(self, file: str, name: str, seen: tuple[tuple[str, str], ...]) -> list[Asking]:
        """Return the fixtures that a module binds a name to."""
        found = list(self._by_own_name.get((file, name), ()))
        bound = self._bound.get(file, {})
        imported = [*bound.get(name, ()), *(f"{star}.{name}" for star in bound.get(EVERYTHING, ()))]
        for qualified in imported if (file, name) not in seen else ():
            home, rest = self._home(file, qualified)
            found += self._at(home, rest, (*seen, (file, name))) if home else []
        return found

    @cached_property
    def _by_own_name(self) -> dict[tuple[str, str], list[Asking]]:
        found: dict[tuple[str, str], list[Asking]] = defaultdict(list)
        for each in self._asking:
            if each.name and each.is_of_module:
                found[each.file, each.own_name].append(each)
        return found

    def _home(self, file: str, qualified: str) -> tuple[str, str]:
        """Return the file of the project that a name leads to, and the rest of the name; empty for a library's."""
        roots = self._names.documents[file].roots
        module = module_file(roots, qualified)
        found = (module, EVERYTHING) if module is not None else locate_name(roots, qualified)
        return (self._names.file_of(found[0]) or "", found[1]) if found is not None else ("", "")

    def _users(self, asking: Asking) -> dict[str, None]:
        """Return the files whose tests may be, or may use, a test or a fixture: its own and those that import it."""
        found, waiting = {asking.file: None}, [asking.file]
        while waiting:
            file = waiting.pop()
            users = [user for user, names in self._importers.get(file, {}).items() if may_be(asking, names)]
            if asking.name and Path(file).name == CONFTEST:
                users += [user for user in self._tested if Path(user).is_relative_to(Path(file).parent)]
            fresh = [user for user in users if user not in found]
            found.update(dict.fromkeys(fresh))
            waiting += fresh
        return found

    @cached_property
    def _importers(self) -> dict[str, dict[str, set[str]]]:
        """For each file those that import it, with the names that they import."""
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file, bound in list(self._bound.items()):
            for name, qualified in [(name, each) for name, imported in bound.items() for each in imported]:
                home, rest = self._home(file, qualified)
                if home and home != file:
                    found[home][file].update((name, rest.partition(".")[0]))
        return found


def may_be(asking: Asking, names: set[str]) -> bool:
    """Return whether a file that imports some names may import a test or fixture, or the class around it."""
    return asking.code.owner is not None or asking.own_name in names or EVERYTHING in names


def is_fixture_maker(node: ast.expr) -> bool:
    """Return whether a decorator is pytest's ``fixture``."""
    return dotted_name(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2] == "fixture"


def given_name(maker: ast.expr) -> str:
    """Return the name that a call of ``fixture`` gives; empty if it keeps that of the function."""
    for option in maker.keywords if isinstance(maker, ast.Call) else ():
        if option.arg == "name" and isinstance(option.value, ast.Constant):
            return str(option.value.value)
    return ""
