"""Mentions of raw keys in strings, comments and prose, which are reported and never rewritten."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from olympus_lint.migration.text import Text
from olympus_lint.suppression.directives import tokens_of
from olympus_rules.finding import Position
from olympus_rules.syntax.text import split_lines

WORD = re.compile(r"(?<![\w.])(?:jax\.)?(?:random\.|jr\.)?(?:PRNGKey|KeyArray|PRNGKeyArray)\b")
TEXTS = {"COMMENT", "STRING", "FSTRING_MIDDLE", "TSTRING_MIDDLE"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of raw keys.

    Attributes:
        filename, row, column: its place, with rows and columns from 1.
        word: its spelling.
        cell: the cell of a notebook.
    """

    filename: str
    row: int
    column: int
    word: str
    cell: int | None = None


def mentions_in(text: Text) -> list[Mention]:
    """Return the mentions outside code in the current text of a file; examples in docstrings count as code."""
    return sorted(_mentions(text), key=lambda each: (each.cell or 0, each.row, each.column))


def _mentions(text: Text) -> Iterator[Mention]:
    if not WORD.search(text.before):
        return
    embedded = text.embedded.read_back(text.new) if text.embedded is not None else None
    if embedded is None or embedded.kind == "python":
        pieces = [embedded.holder.pieces[number] for number in embedded.used] if embedded is not None else ()
        code = {row for piece in pieces for row in range(piece.row, piece.row + len(piece.before))}
        found = _in_tokens(text.after)
        yield from (Mention(text.filename, row, column, word) for row, column, word in found if row not in code)
        return
    for row, column, word in _in_tokens(embedded.text):
        cell, place = embedded.places.at(Position(row, column))
        yield Mention(text.filename, place.row, place.column, word, cell)
    for cell, row, line in embedded.prose():
        yield from (Mention(text.filename, row, each.start() + 1, each[0], cell) for each in WORD.finditer(line))


def _in_tokens(module: str) -> Iterator[tuple[int, int, str]]:
    """Return the mentions in the strings and comments of a module: row, column and word."""
    for token in tokens_of(module):
        if tokenize.tok_name[token.type] in TEXTS and "Key" in token.string:
            for offset, line in enumerate(split_lines(token.string)):
                first = token.start[1] if offset == 0 else 0
                yield from (
                    (token.start[0] + offset, first + each.start() + 1, each[0]) for each in WORD.finditer(line)
                )
