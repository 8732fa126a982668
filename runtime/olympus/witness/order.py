"""The order in which one call reaches two places, as far as the syntax determines it."""

from __future__ import annotations

import ast
from typing import Any

from olympus.verdicts.question import Place, Question

AGAIN = (
    ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def is_round(tree: ast.Module, question: Question) -> bool:
    """Return whether a finding outside of loops needs two calls of one method: of one place, or against the text."""
    own, other = (around(tree, place) for place in (question.place, question.other or question.place))
    if own != other or [type(node) for node in own] != [ast.ClassDef, ast.FunctionDef]:
        return False
    back = question.other is not None and starts(question.other) > starts(question.place)
    return question.other is None or (back and getattr(own[-1], "name", "") != "__init__")


def is_once(tree: ast.Module, place: Place) -> bool:
    """Return whether one call reaches a place at most once, and leaves nothing behind for another call."""
    return [type(node) for node in around(tree, place)] == [ast.FunctionDef]


def around(tree: ast.Module, place: Place) -> list[ast.AST]:
    """Return the repeated constructs around a place, such as loops and functions, outermost first."""
    return [node for node in ast.walk(tree) if isinstance(node, AGAIN) and contains(node, starts(place))]


def starts(place: Place) -> tuple[int, int]:
    """Return the line and column of the start of a place."""
    return place.line, place.column


def contains(node: Any, start: tuple[int, int]) -> bool:
    """Return whether a place is inside a node."""
    first, last = (node.lineno, node.col_offset + 1), (node.end_lineno, node.end_col_offset)
    return bool(first <= start <= last)
