"""A piece of Python inside another file, and files in which pieces are lines."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol

from olympus_rules.syntax.document import first_line
from olympus_rules.syntax.text import split_lines

FIRST, NEXT = ">>> ", "... "


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of Python.

    Attributes:
        code: the Python, without the text before its lines.
        row: the row of its first line, in the file or the cell.
        before: the text before each line: an indentation, the sign of a quotation, a prompt.
        block: the number of its cell, code block or docstring.
        cell: the notebook cell, counted from 1.
        prompts: whether it is an example with prompts.
        output: the expected output of an example.
    """

    code: str
    row: int
    before: tuple[str, ...]
    block: int
    cell: int | None = None
    prompts: bool = False
    output: str = ""


class Holder(Protocol):
    """A file that holds pieces."""

    @property
    def pieces(self) -> Sequence[Piece]:
        """Return the pieces in order."""

    def put_back(self, codes: Mapping[int, str]) -> str:
        """Return the text of the file with rewritten pieces, by their numbers."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A file in which pieces are whole lines."""

    text: str
    pieces: Sequence[Piece]

    def put_back(self, codes: Mapping[int, str]) -> str:
        """Return the text with rewritten pieces; equal lines keep the text before them."""
        lines = split_lines(self.text)
        for number in sorted(codes, reverse=True):
            piece = self.pieces[number]
            first, last = piece.row - 1, piece.row - 1 + len(piece.before)
            lines[first:last] = _replaced(piece, lines[first:last], codes[number])
        return "".join(lines)


def _replaced(piece: Piece, raw: Sequence[str], code: str) -> list[str]:
    """Return the lines of a rewritten piece."""
    old, new = split_lines(piece.code), split_lines(code) if code else []
    prompts = _prompts(code) if piece.prompts else ()
    indent = piece.before[0].removesuffix(FIRST)
    made: list[str] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            made += raw[start:end]
            continue
        for number in range(new_start, new_end):
            before = f"{indent}{prompts[number]}" if prompts else piece.before[min(start, len(piece.before) - 1)]
            made.append(f"{before}{new[number]}" if new[number].strip() else f"{before.rstrip()}{new[number]}")
    return made


def _prompts(code: str) -> tuple[str, ...]:
    """Return the prompt of each line: ``>>>`` for the first line of each statement."""
    firsts = {first_line(each) for each in parsed(code).body}
    return tuple(FIRST if row in firsts or row == 1 else NEXT for row in range(1, len(split_lines(code)) + 1))


def parsed(code: str) -> ast.Module:
    """Parse code without warnings.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as the parser raises them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)
