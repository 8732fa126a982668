"""The order in which one call reaches two places, as far as the syntax determines it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from olympus.verdicts.question import Place, Question, Verdict

__all__ = ["excluded", "is_once", "is_round"]

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


def excluded(tree: ast.Module, question: Question, verdict: Verdict, seen: set[Place]) -> Verdict:
    """Refute a finding about a method and a constructor that runs before it, if an execution has reached one of them.

    Places that a branch keeps apart are no findings: the key flow compares path conditions.

    Args:
        tree: the file.
        question: the finding.
        verdict: the verdict of the executions.
        seen: the places that an execution reached with a known key.
    """
    place, other = question.place, question.other
    if verdict.status != "not reached" or other is None or place.file != other.file or not {place, other} & seen:
        return verdict
    if is_made_before(around(tree, place), around(tree, other)):
        return Verdict("refuted", "witness", "an object is made before its other methods are called")
    return verdict


def is_made_before(own: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Return whether a place is in a constructor that calls no method of its object, and another in such a method.

    Args:
        own: the constructs around the place.
        other: the constructs around the other place.
    """
    match own, other:
        case [ast.ClassDef() as owner, ast.FunctionDef(name="__init__") as made], [same, ast.FunctionDef() as method]:
            itself = made.args.args[0].arg if made.args.args else ""
            methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
            named = [node for node in ast.walk(made) if isinstance(node, ast.Name) and node.id == itself]
            attributes = [node for node in ast.walk(made) if isinstance(node, ast.Attribute) and node.value in named]
            whole = len(named) > len(attributes)  # the object escapes
            return owner is same and made is not method and not whole and not {a.attr for a in attributes} & methods
    return False
