"""Maps of modules: each stream of keys is split over the members, or all of them get it as it is, as an argument says.

Members that draw from a stream that is not split draw the same. A stream from which they make variables of their own
makes equal ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.values import Class, Const, Function, Map, Value
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret.flow import Flow

ALL = ""  # the name of the one stream of a library whose streams have no names


def look_at(flow: Flow, qualified: str, arguments: Arguments) -> None:
    """Record the streams that a map does not split and from which each of its members draws for itself."""
    words = flow.file.lifted
    node, mapped = arguments.node, arguments.first
    given = next(((name, value) for name, value in arguments.keywords if words.get(str(name)) == "splits"), None)
    if given is None or node is None:
        return
    own = [value for name, value in arguments.keywords if words.get(str(name)) == "own"]
    code = mapped.code if isinstance(mapped, Function | Class) and _is_here(mapped.code) else None
    transform = qualified.rpartition(".")[2]
    for stream in _unsplit(given[1]):
        is_own = _has_own(own, stream)
        draw = node if is_own else _draw(flow, code, stream, layers=transform != "scan")
        if draw is not None:
            named = f"the stream `{stream}`, which `{given[0]}` does not split. Let it be true there."
            hidden = named if stream else f"a key that all lanes have, as `{given[0]}` is false. Let it be true."
            place = Place(draw, "init" if is_own else ast.unparse(draw.func), None)
            likely = Confidence.LIKELY
            flow.file.add(facts.SharedKey(node=node, confidence=likely, transform=transform, draw=place, hidden=hidden))


def _unsplit(given: Value) -> list[str]:
    """Return the streams that all members get as they are: those that an argument names, or all."""
    if isinstance(given, Map):
        return [str(name) for name, value in given.items if value == Const(False)]
    return [ALL] if given == Const(False) else []


def _has_own(axes: list[Value], stream: str) -> bool:
    """Return whether each member has variables of its own that are made from a stream: of the same name, on an axis."""
    return any(
        name == stream and isinstance(axis, Const) and type(axis.value) is int
        for value in axes
        if isinstance(value, Map)
        for name, axis in value.items
    )


def _draw(flow: Flow, code: FunctionCode | ClassCode | None, stream: str, *, layers: bool) -> ast.Call | None:
    """Return where a function or class, or what it names in this file, draws from a stream.

    Args:
        flow: where the map is made.
        code: the function or class.
        stream: the name of the stream.
        layers: whether layers count, which steps of time may well want to be alike.
    """
    for each in () if code is None else reached(flow, code):
        for node in ast.walk(each.node):
            name = dotted_name(node.func) if isinstance(node, ast.Call) else ""
            if not isinstance(node, ast.Call) or not name:
                continue
            first = node.args[0] if node.args else None
            gives = name.rpartition(".")[2] in flow.file.giving
            asks = gives and (stream == ALL or (isinstance(first, ast.Constant) and first.value == stream))
            if asks or (layers and _is_layer(flow, node, name, stream)):
                return node
    return None


def _is_layer(flow: Flow, node: ast.Call, name: str, stream: str) -> bool:
    """Return whether a call makes a layer that draws from a stream."""
    qualified = flow.file.document.imports.resolve(name)
    row = None if qualified is None else flow.file.table.get(qualified).row
    if row is None or flow.file.lifted.get(row.qualified) != stream:
        return False
    values = {keyword.arg: keyword.value for keyword in node.keywords}
    values |= zip(row.parameters, node.args, strict=False)
    given = [(values.get(parameter), off) for parameter, off in row.silent]
    return not any(isinstance(value, ast.Constant) and value.value == off for value, off in given)


def _is_here(code: FunctionCode | ClassCode) -> bool:
    """Return whether the text of a function or class is in this file."""
    return not (code.home if isinstance(code, ClassCode) else code.is_foreign)


def reached(flow: Flow, *codes: FunctionCode | ClassCode) -> Iterator[FunctionCode | ClassCode]:
    """Yield functions and classes, and what they name in this file, each once."""
    definitions = flow.file.module.definitions
    waiting, seen = [*codes], {*codes}
    while waiting:
        yield (current := waiting.pop())
        new = {definitions[name] for name in names(current.node) & definitions.keys()} - seen
        seen |= new
        waiting += new


def names(definition: ast.AST) -> set[str]:
    """Return the names and attributes that a function or class mentions."""
    nodes = (node for node in ast.walk(definition) if isinstance(node, ast.Name | ast.Attribute))
    return {node.id if isinstance(node, ast.Name) else node.attr for node in nodes}
