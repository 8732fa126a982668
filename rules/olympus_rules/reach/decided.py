"""Which steps of a path a test rules out: by the constants that a call on the path passes to the function around it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.reach.narrowing import tests
from olympus_rules.reach.raw_keys import place_of
from olympus_rules.reach.sites import Call
from olympus_rules.reach.values import BoundMethod, Class, Function, Object, Place, Value
from olympus_rules.syntax import Document
from olympus_rules.syntax.rebinding import binds

__all__ = ["Decisions", "Frame"]

COMPARED: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,  # type: ignore[operator]
    ast.NotIn: lambda left, right: left not in right,  # type: ignore[operator]
}
OWN_FIRST = (BoundMethod, Class, Object)
"""The callees that put an object before the arguments."""


class _Unknown(Exception):
    """The value of an expression is not known."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that a path has entered.

    Attributes:
        call: the call that entered it.
        code: the function; ``None`` if it is not known.
        constants: the parameters that have a constant there.
    """

    call: Call
    code: FunctionCode | None
    constants: Mapping[str, object]


class Decisions:
    """What the constants of calls decide in the functions of a project."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        """Take the files."""
        self._documents = documents
        self._nodes: dict[Place, ast.expr | None] = {}

    def constants(
        self, call: Call, code: FunctionCode, callees: Iterable[Value], known: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Return the parameters of a function that have a constant in a call, and are never bound again.

        Args:
            call: the call.
            code: the function.
            callees: what the call may call.
            known: the constants of the function around the call.
        """
        kinds = {type(each) for each in callees}
        if len(kinds) == 1 and kinds.issubset((Function, *OWN_FIRST)):
            return _constants(call.node, code, known, is_plain=kinds == {Function})
        return {}

    def rule_out(self, place: Place, code: FunctionCode, constants: Mapping[str, object]) -> bool:
        """Return whether an expression of a function is never reached with some constants as parameters."""
        node = self._node(place, code) if constants else None
        return node is not None and any(
            _decided(test, constants, is_true=is_true)
            for test, is_true in tests(node, self._documents[place.file].parents)
        )

    def _node(self, place: Place, code: FunctionCode) -> ast.expr | None:
        if place not in self._nodes:
            nodes = (node for node in ast.walk(code.node) if isinstance(node, ast.expr))
            self._nodes[place] = next((node for node in nodes if place_of(place.file, node) == place), None)
        return self._nodes[place]


def _constants(
    call: ast.Call, code: FunctionCode, known: Mapping[str, object], *, is_plain: bool
) -> Mapping[str, object]:
    """Return the parameters that have a constant in a call; ``is_plain`` is a function that takes no object first."""
    definition = code.node
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return {}
    given: dict[str, ast.expr] = {}
    names = code.parameters[: code.positional][0 if is_plain else 1 :]
    is_known = True
    for name, argument in zip(names, call.args, strict=False):
        is_known &= not isinstance(argument, ast.Starred)
        if is_known:
            given[name] = argument
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    is_known &= all(each.arg is not None for each in call.keywords) and len(call.args) <= len(names)
    found: dict[str, object] = {}
    for name in code.parameters:
        if binds(definition.body if isinstance(definition.body, list) else [definition.body], name):
            continue
        try:
            if name in given:
                found[name] = _value(given[name], known)
            elif is_known and (default := _default(definition.args, name)) is not None:
                found[name] = _value(default, {})
        except _Unknown:
            continue
    return found


def _default(arguments: ast.arguments, name: str) -> ast.expr | None:
    """Return the default of a parameter."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(reversed(positional), reversed(arguments.defaults), strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return next((default for parameter, default in pairs if parameter.arg == name), None)


def _decided(test: ast.expr, constants: Mapping[str, object], *, is_true: bool) -> bool:
    """Return whether constants decide that a test has the other outcome."""
    try:
        return bool(_value(test, constants)) is not is_true
    except (_Unknown, TypeError):
        return False


def _value(node: ast.expr, constants: Mapping[str, object]) -> object:
    """Return the value of an expression of constants.

    Raises:
        _Unknown: it is not known.
    """
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in constants:
            return constants[name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return tuple(_value(each, constants) for each in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, constants)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
            return COMPARED[type(op)](_value(left, constants), _value(right, constants))
        case ast.BoolOp(op=op, values=values):
            return _connected(values, constants, ends=isinstance(op, ast.Or))
    raise _Unknown


def _connected(values: list[ast.expr], constants: Mapping[str, object], *, ends: bool) -> bool:
    """Return the truth of ``and`` or ``or``, one of whose parts may be enough; ``ends`` is what ends the latter."""
    is_known = True
    for each in values:
        try:
            if bool(_value(each, constants)) is ends:
                return ends
        except _Unknown:
            is_known = False
    if not is_known:
        raise _Unknown
    return not ends
