"""The parameters of public functions to which callers outside of the project may pass keys.

A parameter counts if its function passes it to a library function that consumes a key, or to a function of the project
that does. Its name is no evidence.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from olympus_rules.reach.reading.sites import Taken
from olympus_rules.reach.solver.values import Constructor, Function, Library, place_of

if TYPE_CHECKING:
    from olympus_rules.code.instructions import FunctionCode
    from olympus_rules.reach.answers.project import ProjectReach

_Def: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Parameter: TypeAlias = tuple[str, int, int, str]
"""A parameter: the file, the line and column of its function, and its name."""


def taken(reached: ProjectReach) -> list[Taken]:
    """Return the parameters of public functions to which callers pass keys, in the order of files."""
    search = _Search(reached)
    for path, document in reached.names.documents.items():
        search.read(path, document.tree)
    search.follow()
    return search.public()


class _Search:
    """The search for parameters that are consumed."""

    def __init__(self, reached: ProjectReach) -> None:
        """Take the analysis of the project."""
        self._reached = reached
        self._paths = {id(module): path for path, module in reached.names.modules.items()}
        self._consumed: dict[_Parameter, int | None] = {}
        self._passed: dict[_Parameter, list[_Parameter]] = defaultdict(list)
        self._remade: set[_Parameter] = set()
        self._public: list[tuple[str, _Def, str]] = []

    def read(self, path: str, tree: ast.Module) -> None:
        """Read the calls of a file."""
        waiting: list[tuple[ast.AST, tuple[_Def, ...], str | None]] = [(tree, (), "")]
        while waiting:
            node, functions, owner = waiting.pop()
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if owner is not None and _is_public(node.name):
                        self._public.append((path, node, f"{owner}{node.name}"))
                    functions, owner = (*functions, node), None
                case ast.ClassDef():
                    owner = f"{owner}{node.name}." if owner is not None and _is_public(node.name) else None
                case ast.Call() if functions:
                    self._call(path, functions, node)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)) if functions:
                    if self._makes_a_key(path, function):
                        self._remade.update(_of(path, functions, name))
            waiting += ((child, functions, owner) for child in ast.iter_child_nodes(node))

    def _makes_a_key(self, path: str, function: ast.expr) -> bool:
        values = self._reached.values(place_of(path, function))
        rows = [self._reached.names.model(each.qualified).row for each in values if isinstance(each, Library)]
        return any(isinstance(each, Constructor) for each in values) or any(row and row.seed for row in rows)

    def _call(self, path: str, functions: tuple[_Def, ...], call: ast.Call) -> None:
        """Note the parameters that a call consumes, or passes on."""
        given: list[tuple[int | str, str]] = [
            (number, each.id) for number, each in enumerate(call.args) if isinstance(each, ast.Name)
        ]
        given += [(each.arg, each.value.id) for each in call.keywords if each.arg and isinstance(each.value, ast.Name)]
        mine = [(spot, parameter) for spot, name in given for parameter in _of(path, functions, name)]
        values = self._reached.values(place_of(path, call.func)) if mine else []
        for spot, parameter in mine:
            for value in values:
                if isinstance(value, Library):
                    self._library(value, spot, parameter, is_own=parameter[1:3] == _start(functions[-1]))
            callees = [value for value in values if isinstance(value, Function) and not value.is_made]
            names = {_parameter(value, spot) for value in callees}
            name = names.pop() if len(names) == 1 else None  # methods of several classes agree, or nothing is known
            for value in callees if name is not None else ():
                other = self._paths.get(id(_module(value.code)))
                if other is not None and name is not None:
                    self._passed[(other, *_start(value.code.node), name)].append(parameter)

    def _library(self, value: Library, spot: int | str, parameter: _Parameter, *, is_own: bool) -> None:
        row = self._reached.names.model(value.qualified).row
        if row is None:
            return
        name = spot if isinstance(spot, str) else row.parameters[spot] if spot < len(row.parameters) else ""
        if name in {*row.sinks, *row.folds} - {*row.seeds}:
            known = self._consumed.get(parameter)
            self._consumed[parameter] = 0 if is_own or known == 0 else None

    def follow(self) -> None:
        """Add the parameters that are passed on to parameters which are consumed."""
        waiting = list(self._consumed)
        while waiting:
            parameter = waiting.pop()
            for each in self._passed.get(parameter, ()):
                if each not in self._consumed:
                    self._consumed[each] = self._consumed[parameter]
                    waiting.append(each)

    def public(self) -> list[Taken]:
        """Return the parameters of public functions that are consumed."""
        found = []
        for path, function, callee in self._public:
            for argument in _arguments(function):
                parameter = path, *_start(function), argument.arg
                if parameter in self._consumed and parameter not in self._remade:
                    rank, place = self._consumed[parameter], place_of(path, argument)
                    found.append(Taken(place, _start(function), argument.arg, callee, rank))
        return sorted(found, key=lambda each: each.place)


def _parameter(value: Function, spot: int | str) -> str | None:
    """Return the name of the parameter that gets an argument, by its position or name."""
    names = value.code.parameters[value.given :]
    if isinstance(spot, str):
        return spot if spot in names else None
    return names[spot] if spot < len(names) else None


def _module(code: FunctionCode) -> FunctionCode:
    while code.parent is not None:
        code = code.parent
    return code


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _arguments(function: _Def) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _of(path: str, functions: tuple[_Def, ...], name: str) -> Iterator[_Parameter]:
    """Yield the parameter of the innermost function that has one of this name."""
    for function in reversed(functions):
        if any(argument.arg == name for argument in _arguments(function)):
            yield path, *_start(function), name
            return
