"""Which fixtures a test gets under pytest: by the names of its parameters, the nearest ones for a test in a module.

A fixture looks for others where the test does that uses it, and a class inherits fixtures and tests: both get all of
a name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.reach.reading.attributes import Names
from olympus_rules.reach.solver.heap import Heap

CONFTEST = "conftest.py"


@dataclass(frozen=True, slots=True)
class Asking:
    """A test or a fixture, whose parameters ask for fixtures.

    Attributes:
        file: its file.
        code: its function.
        name: the name by which it is asked for; empty for a test.
    """

    file: str
    code: FunctionCode
    name: str = ""


class Fixtures:
    """The fixtures of a project, and the tests and fixtures that ask for them."""

    def __init__(self, heap: Heap, names: Names) -> None:
        """Start without any fixture."""
        self._heap = heap
        self._names = names
        self._asking: list[Asking] = []
        self._by_name: dict[str, list[Asking]] = defaultdict(list)

    def take_function(self, file: str, code: FunctionCode, decorators: list[ast.expr]) -> None:
        """Take a function, if it is a test or a fixture."""
        name = code.name.rpartition(".")[2]
        makers = [node for node in decorators if is_fixture_maker(node)]
        if makers:
            asked = next(filter(None, map(given_name, makers)), name)
            self._asking.append(Asking(file, code, asked))
            self._by_name[asked].append(self._asking[-1])
        elif name.startswith("test"):
            self._asking.append(Asking(file, code))

    def hand_over(self) -> None:
        """Copy what fixtures return to the parameters that ask for them."""
        for asking in self._asking if self._by_name else ():
            for parameter in asking.code.parameters:
                for fixture in self._given(asking, parameter):
                    result = self._heap.result(fixture.code)
                    self._heap.slots.add_edge(result, self._heap.variable(asking.code, parameter))

    def _given(self, asking: Asking, name: str) -> Sequence[Asking]:
        """Return the fixtures that a parameter may get."""
        module = self._names.modules[asking.file]
        own = module.imported.get(name, "").rpartition(".")[2]
        every = [each for each in (*self._by_name.get(name, ()), *self._by_name.get(own, ())) if each is not asking]
        if asking.name or asking.code.owner is not None:
            return every
        found = [each for each in every if each.code.owner is None]
        here = [each for each in found if each.file == asking.file]
        if here:
            return here
        names = {qualified.rpartition(".")[2] for qualified in module.imported.values()}
        imported = [each for each in found if module.stars or each.code.name in names]
        for folder in Path(asking.file).parents:
            near = [each for each in found if each.file == str(folder / CONFTEST)]
            if near:
                return imported + near
        return every


def is_fixture_maker(node: ast.expr) -> bool:
    """Return whether a decorator is pytest's ``fixture``."""
    return dotted_name(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2] == "fixture"


def given_name(maker: ast.expr) -> str:
    """Return the name that a call of ``fixture`` gives; empty if it keeps that of the function."""
    for option in maker.keywords if isinstance(maker, ast.Call) else ():
        if option.arg == "name" and isinstance(option.value, ast.Constant):
            return str(option.value.value)
    return ""
