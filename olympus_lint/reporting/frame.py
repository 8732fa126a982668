"""Code frames: source lines with marks below the places of a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from olympus_lint.files.problems import printable
from olympus_lint.reporting.phrases import blank
from olympus_rules.finding import Span

CONTEXT = 1  # lines shown before and after a marked one
TALLEST = 6  # lines of one marked place; of a longer place, the first and the last line are shown


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to mark, the character to draw below it, and a label."""

    span: Span
    sign: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text and its role: ``gutter``, ``code``, ``^`` or ``-`` (the signs of marks)."""

    text: str
    role: str


def frame(lines: Sequence[str], marks: Sequence[Mark]) -> Iterator[list[Piece]]:
    """Return the lines of a frame as pieces.

    Args:
        lines: the lines of the file.
        marks: the places in it; a place after the end of the file is skipped.
    """
    rows = shown_rows(len(lines), marks)
    if not rows:
        return
    width = len(str(rows[-1]))
    yield [Piece(f"{'':{width}} |", "gutter")]
    for row, following in pairwise([*rows, None]):
        assert row is not None
        code = printable(lines[row - 1].rstrip("\r\n"))
        yield [Piece(f"{row:>{width}} |", "gutter"), Piece(f" {code}".rstrip(), "code")]
        for mark in marks:
            drawn = underline(code, row, mark)
            if drawn is not None:
                yield [Piece(f"{'':{width}} |", "gutter"), *drawn]
        if following is not None and following > row + 1:
            yield [Piece("...", "gutter")]
    yield [Piece(f"{'':{width}} |", "gutter")]


def shown_rows(last: int, marks: Sequence[Mark]) -> list[int]:
    """Return the rows to show, in order."""
    rows: set[int] = set()
    for mark in marks:
        start, end = mark.span.start.row, mark.span.end.row
        marked = [*range(start, end + 1)] if end - start < TALLEST else [start, end]
        rows.update(near for row in marked for near in range(row - CONTEXT, row + CONTEXT + 1))
    return sorted(row for row in rows if 1 <= row <= last)


def underline(code: str, row: int, mark: Mark) -> list[Piece] | None:
    """Return the line below a row for a mark, ``None`` if the mark does not touch the row."""
    start, end = mark.span.start, mark.span.end
    if not start.row <= row <= end.row:
        return None
    first = start.column - 1 if row == start.row else len(code) - len(code.lstrip())
    last = end.column - 1 if row == end.row else len(code)
    if row == end.row != start.row and last <= first:
        return None
    before = blank(code[:first])
    signs = mark.sign * max(1, len(blank(code[first:last])))
    label = f" {printable(mark.label)}" if mark.label and row == end.row else ""
    return [Piece(f" {before}", "code"), Piece(f"{signs}{label}", mark.sign)]
