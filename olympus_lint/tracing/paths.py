"""Whether two places that had different keys in a run could have one key on another path."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from olympus_rules.finding import Span

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
DECISIONS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match, ast.IfExp, ast.BoolOp)
CHOICES = (ast.IfExp, ast.BoolOp)


def depends_on_path(text: str, first: Span, second: Span) -> bool:
    """Say whether the arguments of the calls at two places depend on the path through their function.

    Names are followed backwards from the two places through all assignments of the function, and through calls of
    methods on them. A decision counts if it is part of an assigned value, or if a name is assigned in an arm that does
    not hold both places.

    Args:
        text: the source of the file.
        first: one place.
        second: the other.
    """
    tree = _parsed(text)
    if tree is None:
        return False
    scope = _scope(tree, first, second)
    places = [node for node in ast.walk(scope) if isinstance(node, ast.expr) and _is_at(node, first, second)]
    wanted, origins = set[str](), list[ast.AST](places)
    for node in places:
        wanted |= _names(node)
    assignments = list(_assignments(scope))
    growing = True
    while growing:
        fresh = [value for names, value in assignments if names & wanted and value not in origins]
        growing = bool(fresh)
        origins += fresh
        wanted = wanted.union(*map(_names, fresh))
    if any(isinstance(part, CHOICES) for node in origins for part in ast.walk(node)):
        return True
    changed = {id(value) for names, value in assignments if names & wanted}
    return any(
        id(node) in changed
        for arm in _arms(scope)
        if not (_holds(arm, first) and _holds(arm, second))
        for statement in arm
        for node in ast.walk(statement)
    )


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _scope(tree: ast.Module, first: Span, second: Span) -> ast.AST:
    """Return the innermost function that holds both places, or the module."""
    found: ast.AST = tree
    for node in ast.walk(tree):  # outer functions come first
        if isinstance(node, Function) and _holds([node], first) and _holds([node], second):
            found = node
    return found


def _holds(nodes: Iterable[ast.AST], place: Span) -> bool:
    return any(_range(node)[0] <= _start(place) and _end(place) <= _range(node)[1] for node in nodes)


def _range(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    at = node if isinstance(node, ast.stmt | ast.expr | ast.excepthandler) else None
    if at is None:
        return (0, 0), (0, 0)
    return (at.lineno, at.col_offset), (at.end_lineno or 0, at.end_col_offset or 0)


def _start(place: Span) -> tuple[int, int]:
    return place.start.row, place.start.column - 1


def _end(place: Span) -> tuple[int, int]:
    return place.end.row, place.end.column - 1


def _is_at(node: ast.expr, *places: Span) -> bool:
    start, end = _range(node)
    return any((start, end) == (_start(place), _end(place)) for place in places)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _assignments(scope: ast.AST) -> Iterator[tuple[set[str], ast.AST]]:
    """Yield the nodes that may change names, each with the names and the new value."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield set().union(*map(_names, targets)), value
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield _names(target), value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _names(target), value
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield _names(target), value
            case ast.comprehension(target=target, iter=value):
                yield _names(target), value
            case ast.Call(func=ast.Attribute(value=owner)) if isinstance(owner, ast.Name | ast.Attribute):
                yield _names(owner), node


def _arms(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the statements that a decision may skip."""
    for node in ast.walk(scope):
        if isinstance(node, DECISIONS):
            for part in ast.walk(node) if isinstance(node, ast.Match | ast.Try | ast.TryStar) else [node]:
                for name in ("body", "orelse", "finalbody"):
                    arm = getattr(part, name, None)
                    if isinstance(arm, list) and arm and isinstance(arm[0], ast.stmt):
                        yield arm
