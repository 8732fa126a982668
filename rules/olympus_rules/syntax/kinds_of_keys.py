"""Tests of a dtype by which a program tells raw and typed keys apart, or typed keys from other arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from olympus_rules.syntax.document import Document


def tells_kinds_apart(test: ast.AST, document: Document, *, typed: bool | None) -> bool:
    """Return whether a program treats both kinds of keys rightly after a test, which is true for ``typed`` keys or not.

    It does if it wraps or refuses raw keys, or unwraps typed ones. If it is unknown for which kind the test is true,
    any wrapping and unwrapping counts.
    """
    around = document.parents[test]
    while isinstance(around, ast.BoolOp | ast.UnaryOp):
        if isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not) and typed is not None:
            typed = not typed
        test, around = around, document.parents[around]
    if isinstance(around, ast.Assert):
        return typed is True and test is around.test
    if not isinstance(around, ast.If | ast.IfExp) or test is not around.test:
        return False
    body, other = _arms(around, document)
    if typed is None:
        return _names([*body, *other], ("key_data", "wrap_key_data"))
    of_raw, of_typed = (other, body) if typed else (body, other)
    refuses = bool(of_raw) and isinstance(of_raw[-1], ast.Raise)
    return refuses or _names(of_raw, ("wrap_key_data",)) or _names(of_typed, ("key_data",))


def finds_every_typed_key(name: ast.AST, document: Document) -> bool:
    """Return whether the name of a dtype is only asked for the start that the names of all typed keys have."""
    around = document.parents[name]
    if isinstance(around, ast.Attribute) and around.attr == "startswith":
        call = document.parents[around]
        given = call.args if isinstance(call, ast.Call) else []
    elif isinstance(around, ast.Compare) and isinstance(around.ops[0], ast.In | ast.NotIn):
        given = [around.left]
    else:
        return False
    text = given[0].value if len(given) == 1 and isinstance(given[0], ast.Constant) else None
    return isinstance(text, str) and text != "" and "key<".startswith(text)


def _arms(test: ast.If | ast.IfExp, document: Document) -> tuple[list[ast.AST], list[ast.AST]]:
    """Return what is done if a test is true, and if it is not: then also a ``return`` after an ``if`` that returns."""
    if isinstance(test, ast.IfExp):
        return [test.body], [test.orelse]
    if test.orelse or not isinstance(test.body[-1], ast.Return):
        return [*test.body], [*test.orelse]
    parent = document.parents[test]
    blocks = [value for _, value in ast.iter_fields(parent) if isinstance(value, list) and test in value]
    following = [statement for block in blocks for statement in block[block.index(test) + 1 :][:1]]
    return [*test.body], [statement for statement in following if isinstance(statement, ast.Return)]


def _names(parts: Iterable[ast.AST], names: tuple[str, ...]) -> bool:
    """Return whether one of the functions is named, through a module or not."""
    nodes = [node for part in parts for node in ast.walk(part)]
    return any(getattr(node, "attr", None) in names or getattr(node, "id", None) in names for node in nodes)
