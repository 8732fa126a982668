"""Splits that a function makes before one use of a key after the other, and leaves out once."""

from __future__ import annotations

import ast

from olympus_rules.code.names import dotted_name
from olympus_rules.libraries.names import SPLIT
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

FEWEST = 2
"""Splits that show a habit."""


def is_forgotten(document: Document, first: ast.AST, again: ast.AST) -> bool:
    """Return whether two calls get a child of a split under one name, to which the function binds several children."""
    if not (isinstance(first, ast.Call) and isinstance(again, ast.Call)) or first is again:
        return False
    shared = _given(first) & _given(again)
    if not shared:
        return False
    functions = (each for each in document.around(again) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    assignments = (each for each in every_node(next(functions, document.tree)) if isinstance(each, ast.Assign))
    children = [name for each in assignments for name in _children(document, each)]
    return any(children.count(name) >= FEWEST for name in shared)


def _given(call: ast.Call) -> set[str]:
    """Return the names that a call gets as arguments."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return {each.id for each in given if isinstance(each, ast.Name)}


def _children(document: Document, statement: ast.Assign) -> list[str]:
    """Return the names that a statement binds to children of a split, without that of the key itself."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call(func=function, args=[key, *_])):
            if document.imports.resolve(dotted_name(function)) == SPLIT:
                return [each.id for each in names if isinstance(each, ast.Name) and each.id != dotted_name(key)]
    return []
