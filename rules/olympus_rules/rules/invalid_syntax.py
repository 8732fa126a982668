"""OLY902: a file is not Python that this interpreter can parse. The program that reads files reports it."""

from __future__ import annotations

import re

from olympus_rules.finding import Finding, Position, Span
from olympus_rules.rule import Rule
from olympus_rules.syntax.text import split_lines

GAP = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<[a-z][\w -]*>|\$\{\w+\}")
"""What is filled in before a file is Python: of Jinja and cookiecutter, of texts for people, of shells."""


class InvalidSyntax(Rule):
    """A file without a tree; it asks nothing of the key flow."""

    code = "OLY902"
    name = "invalid-syntax"
    summary = "A file cannot be parsed"


def invalid_syntax(filename: str, text: str, error: Exception, *, part: str = "file") -> Finding:
    """Return the finding for an exception raised by parsing a text.

    Args:
        filename: the path as the user gave it.
        text: the text; empty when the bytes could not be decoded.
        error: a ``SyntaxError``, ``UnicodeDecodeError``, ``ValueError``, ``RecursionError`` or ``MemoryError``.
        part: what the text is: a file, or a cell of one.
    """
    start = place_of(text, error)
    end = Position(start.row, start.column + 1) if column_exists(start, text) else start
    gap = gap_in(text, start.row)
    advice = f" If it is a template, as `{gap}` suggests, leave it out with `exclude`." if gap else ""
    message = f"Cannot be parsed: {cause_of(error)}. Nothing in this {part} was checked.{advice}"
    return Finding(InvalidSyntax.code, InvalidSyntax.name, message, filename, Span(start, end))


def gap_in(text: str, row: int) -> str:
    """Return what a template leaves open in the row of an error, empty if nothing is."""
    found = GAP.search(split_lines(text)[row - 1]) if text else None
    return found.group() if found else ""


def cause_of(error: Exception) -> str:
    """Return the cause of the error."""
    if isinstance(error, SyntaxError):
        return error.msg or "invalid syntax"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not {error.encoding}; declare the file's encoding in its first line"
    if isinstance(error, RecursionError | MemoryError):
        return "it nests too deeply for Python's parser"
    return str(error)


def place_of(text: str, error: Exception) -> Position:
    """Return the place of the error, the first character of the file if it is unknown."""
    if isinstance(error, UnicodeDecodeError):
        return Position(error.object.count(b"\n", 0, error.start) + 1, 1)
    if "\0" in text:
        lines = split_lines(text[: text.index("\0") + 1])
        return Position(len(lines), len(lines[-1]))
    if isinstance(error, SyntaxError):
        return clamp(Position(error.lineno or 1, error.offset or 1), text)
    return Position(1, 1)


def clamp(position: Position, text: str) -> Position:
    """Return the nearest position that the text has; parsers also point past the end."""
    lines = split_lines(text)
    row = min(max(position.row, 1), len(lines))
    length = len(lines[row - 1].rstrip("\r\n"))
    return Position(row, min(max(position.column, 1), length + 1))


def column_exists(position: Position, text: str) -> bool:
    """Return whether the text has a character at a position."""
    lines = split_lines(text)
    return position.row <= len(lines) and position.column <= len(lines[position.row - 1].rstrip("\r\n"))
