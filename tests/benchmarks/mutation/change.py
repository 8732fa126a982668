"""What a mutant is: a change of one function, after which a key repeats."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from mutation.draws import Draw, statements

Edit = tuple[int, int, int, str]
"""Row, first and last column in bytes, and the new text."""


@dataclass(frozen=True)
class Mutant:
    """One change of one function.

    Attributes:
        kind: what is changed.
        function: the function.
        name: the variable that holds the used key.
        draw: the draw that repeats it; ``None`` where it is no call on a variable.
        rows: where the repeat may be reported: at the draw, or at what makes its key.
        edits: the change.
        first: the draw before it, where it is another one.
        way: how the change is hidden.
    """

    kind: str
    function: ast.FunctionDef
    name: str
    draw: Draw | None
    rows: tuple[int, ...]
    edits: tuple[Edit, ...]
    first: Draw | None = None
    way: str = "plain"


def comes_before(first: Draw, again: Draw) -> bool:
    """Return whether the first draw runs whenever the second one does, and in front of it."""
    (*outer, (block, number)) = first.path
    at = again.path[len(outer)] if len(again.path) > len(outer) else (0, 0)
    return list(again.path[: len(outer)]) == outer and at[0] == block and at[1] > number


def between(function: ast.FunctionDef, first: Draw, again: Draw) -> list[ast.stmt]:
    """Return the statements from the first draw to the second one, its own one not included.

    Of a loop around the second draw, all of it: another turn may bind a name before the draw.
    """
    depth = len(first.path) - 1
    found: list[ast.stmt] = []
    for statement, path in statements(function.body):
        beside = path[:depth] == first.path[:depth] and len(path) == depth + 1 and path[-1][0] == first.path[-1][0]
        if beside and first.path[-1][1] <= path[-1][1] <= again.path[depth][1] and statement is not again.statement:
            found.append(statement)
    return found


def replaced(node: ast.expr | ast.stmt, text: str) -> Edit:
    """Return the edit that replaces an expression on one line."""
    assert node.end_col_offset is not None and node.lineno == node.end_lineno
    return node.lineno, node.col_offset, node.end_col_offset, text


def with_way(mutant: Mutant, way: str, edits: list[Edit]) -> Mutant:
    """Return a mutant that is hidden by more edits."""
    return replace(mutant, way=way, edits=(*mutant.edits, *edits))
