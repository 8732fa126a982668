"""The parameters of public functions to which callers outside of the project may pass keys.

A parameter counts if its function passes it to a library function that consumes a key, or to a function of the project
that does. Its name is no evidence.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from olympus_rules.reach.answers.project import ProjectReach, functions_of
from olympus_rules.reach.reading.sites import Call, Taken
from olympus_rules.reach.solver.values import Constructor, Function, Library, Value, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olympus_rules.code.instructions import FunctionCode

_Parameter: TypeAlias = "tuple[FunctionCode, str]"
"""A parameter: its function, and its name."""


def taken(reached: ProjectReach) -> list[Taken]:
    """Return the parameters of public functions to which callers pass keys, in the order of files."""
    search = _Search(reached)
    for call in reached.calls.all:
        search.read(call)
    search.follow()
    return search.public()


class _Search:
    """The search for parameters that are consumed.

    Attributes:
        consumed: the parameters that a library consumes, with the number of axes that they have there if it is known.
        passed: the parameters that are passed on to each.
        remade: those under whose name a key is made.
    """

    def __init__(self, reached: ProjectReach) -> None:
        """Take the analysis of the project."""
        self._reached = reached
        self.consumed: dict[_Parameter, int | None] = {}
        self.passed: dict[_Parameter, list[_Parameter]] = defaultdict(list)
        self.remade: set[_Parameter] = set()

    def read(self, call: Call) -> None:
        """Note the parameters that a call consumes, passes on, or makes a key of."""
        values = self._reached.slots.values(call.function)
        match self._reached.names.documents[call.place.file].parents.get(call.node):
            case ast.Assign(targets=[ast.Name(id=name)]) if self._makes_a_key(values):
                self.remade.update(parameter_of(call.code, name))
        given: list[tuple[int | str | None, ast.expr]] = [*enumerate(call.node.args)]
        given += [(each.arg, each.value) for each in call.node.keywords]
        for spot, node in given:
            for parameter in parameter_of(call.code, node.id) if isinstance(node, ast.Name) else ():
                if spot is not None:
                    self._given(parameter, spot, values, is_own=parameter[0] is call.code)

    def _makes_a_key(self, values: Sequence[Value]) -> bool:
        rows = [self._reached.names.model(each.qualified).row for each in values if isinstance(each, Library)]
        return any(isinstance(each, Constructor) for each in values) or any(row and row.seed for row in rows)

    def _given(self, parameter: _Parameter, spot: int | str, values: Sequence[Value], *, is_own: bool) -> None:
        """Note that a parameter is given to some callees, in a position or by a name."""
        for value in values:
            row = self._reached.names.model(value.qualified).row if isinstance(value, Library) else None
            if row is not None:
                takes = [spot] if isinstance(spot, str) else row.parameters[spot : spot + 1]
                if {*row.sinks, *row.folds}.difference(row.seeds).intersection(takes):
                    known = self.consumed.get(parameter)
                    self.consumed[parameter] = 0 if is_own or known == 0 else None
        callees = [value for value in values if isinstance(value, Function) and not value.is_made]
        names = {named(value, spot) for value in callees}
        name = names.pop() if len(names) == 1 else None  # methods of several classes agree, or nothing is known
        for value in callees if name is not None else ():
            self.passed[value.code, str(name)].append(parameter)

    def follow(self) -> None:
        """Add the parameters that are passed on to parameters which are consumed."""
        waiting = list(self.consumed)
        while waiting:
            parameter = waiting.pop()
            for each in self.passed.get(parameter, ()):
                if each not in self.consumed:
                    self.consumed[each] = self.consumed[parameter]
                    waiting.append(each)

    def public(self) -> list[Taken]:
        """Return the parameters of public functions that are consumed."""
        found = []
        for path, place, code in functions_of(self._reached.names.modules):
            arguments = getattr(code.node, "args", None) if is_public(code) else None
            for each in ast.iter_child_nodes(arguments) if isinstance(arguments, ast.arguments) else ():
                parameter = code, getattr(each, "arg", "")
                if parameter in self.consumed and parameter not in self.remade:
                    found.append(Taken(place_of(path, each), place, parameter[1], code.name, self.consumed[parameter]))
        return sorted(found, key=lambda each: each.place)


def parameter_of(code: FunctionCode, name: str) -> list[_Parameter]:
    """Return the parameter of this name of a function or of one around it: an inner one may carry it on by its name."""
    scope: FunctionCode | None = code
    while scope is not None and name not in scope.parameters:
        scope = scope.parent
    return [] if scope is None else [(scope, name)]


def named(value: Function, spot: int | str) -> str | None:
    """Return the name of the parameter that gets an argument, by its position or name."""
    names = value.code.parameters[value.given :]
    if isinstance(spot, str):
        return spot if spot in names else None
    return names[spot] if spot < len(names) else None


def is_public(code: FunctionCode) -> bool:
    """Return whether code outside of the project may call a function: it is in none, and has no private name."""
    parts = code.name.split(".")
    is_inner = code.parent is None or code.parent.kind != "module"
    is_named = not isinstance(code.node, ast.Lambda)
    return is_named and not is_inner and not any(part.startswith("_") and not part.endswith("__") for part in parts)
