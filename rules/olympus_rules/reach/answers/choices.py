"""Where one of several values is chosen: by the returns of a function, and by conditional expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "prng_key"
"""The dtype by which code tells typed keys from raw ones."""


def choices(tree: ast.Module) -> Iterator[list[ast.expr]]:
    """Yield the values of each choice of a module, but of those that ask for the kind of keys."""
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.IfExp):
            values = arms(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            values = [arm for value in returned(node) for arm in arms(value)]
        if len(values) > 1 and KIND not in ast.unparse(node):
            yield values


def arms(value: ast.expr) -> list[ast.expr]:
    """Return the values that an expression may be."""
    if isinstance(value, ast.IfExp):
        return [*arms(value.body), *arms(value.orelse)]
    return [value]


def returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """Return what the ``return`` statements of a function give, without those of functions in it."""
    waiting: list[ast.AST] = [*function.body]
    found = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            waiting += [] if isinstance(node, inner) else ast.iter_child_nodes(node)
    return found
