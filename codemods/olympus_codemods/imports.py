"""Edits of import statements: a line added, a name added to or taken out of ``from … import …``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from olympus_codemods.rewriting import comments, ending
from olympus_rules.finding import Edit, Position, Span
from olympus_rules.syntax.document import first_line

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["add_lines", "change_names", "delete_statement"]


def add_lines(document: Document, imports: Sequence[str]) -> Edit:
    """Return the edit that adds import statements after the imports at the top of the file.

    Without imports they follow the docstring, else they stand before the first statement.
    """
    body = document.tree.body
    top = 1 if ast.get_docstring(document.tree, clean=False) is not None else 0
    while top < len(body) and isinstance(body[top], ast.Import | ast.ImportFrom):
        top += 1
    if top == 0:
        row = first_line(body[0]) if body else len(document.lines)
        return _insertion(row, "".join(line + ending(document, row) for line in imports))
    row = body[top - 1].end_lineno or 1
    while top < len(body) and body[top].lineno <= row:  # further statements after a semicolon
        row = max(row, body[top].end_lineno or row)
        top += 1
    newline = ending(document, row)
    last = document.lines[row - 1]
    if last.endswith(("\n", "\r")):
        return _insertion(row + 1, "".join(line + newline for line in imports))
    end = Position(row, len(last) + 1)
    return Edit(Span(end, end), "".join(newline + line for line in imports))


def _insertion(row: int, content: str) -> Edit:
    return Edit(Span(Position(row, 1), Position(row, 1)), content)


def change_names(
    document: Document, statement: ast.ImportFrom, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> Edit | None:
    """Return the edit that adds and removes names of a ``from … import …`` statement.

    Added names are put in order when the names are in order, else at the end. ``None`` when a comment stands
    between the names, as its place would be a guess, or when no name would be left.
    """
    fragment = document.fragment(statement)
    span = document.span(statement)
    node = next((n for n in fragment.at(span) if isinstance(n, cst.ImportFrom)), None) if fragment else None
    if node is None or fragment is None or isinstance(node.names, cst.ImportStar):
        return None
    if comments(node):
        return None
    dropped = set(remove)
    kept = [alias for alias in node.names if alias.evaluated_name not in dropped]
    for name in add:
        names = [alias.evaluated_name for alias in kept]
        in_order = names == sorted(names) or names == sorted(names, key=str.lower)
        place = sum(other.lower() < name.lower() for other in names) if in_order else len(names)
        kept.insert(place, cst.ImportAlias(cst.Name(name)))
    if not kept:
        return None
    return Edit(span, fragment.code(node.with_changes(names=_with_commas(node, kept))))


def _with_commas(node: cst.ImportFrom, names: Sequence[cst.ImportAlias]) -> list[cst.ImportAlias]:
    """Return names separated as the statement separates its own."""
    assert not isinstance(node.names, cst.ImportStar)
    separator = node.names[0].comma
    if len(node.names) == 1 or not isinstance(separator, cst.Comma):
        space = node.lpar.whitespace_after if node.lpar else cst.SimpleWhitespace(" ")
        separator = cst.Comma(whitespace_after=space if not space.empty else cst.SimpleWhitespace(" "))
    *others, last = names
    trailing = node.names[-1].comma
    return [*(name.with_changes(comma=separator) for name in others), last.with_changes(comma=trailing)]


def delete_statement(document: Document, statement: ast.stmt) -> Edit | None:
    """Return the edit that deletes a module-level statement, ``None`` unless its lines hold nothing else."""
    span = document.span(statement)
    before = document.lines[span.start.row - 1][: span.start.column - 1]
    after = document.lines[span.end.row - 1][span.end.column - 1 :]
    if statement not in document.tree.body or before or after.strip():
        return None
    return Edit(Span(span.start, Position(span.end.row + 1, 1)), "")
