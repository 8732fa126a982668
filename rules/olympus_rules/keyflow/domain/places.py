"""The expressions of a file that only keys reach, as an analysis of the whole project shows."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from olympus_rules.finding import Edit
from olympus_rules.syntax.text import split_lines

Written: TypeAlias = tuple[int, int, int, int]
"""Where an expression is written: its first line and column, and its last ones, as ``ast`` counts them."""


def span_of(node: ast.AST) -> Written:
    """Return where an expression is written."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Places:
    """The expressions of a text that only raw keys reach.

    Attributes:
        text: the text.
        ranks: the expressions, with the number of batch axes of the keys, ``None`` where it is not known or not one.
        optional: those that ``None`` may reach, too.
        likely: variables that only keys reach, of which some are single keys, and others may be.
        possible: expressions that keys may reach beside numbers, of which most on real code are none of keys; and those
            that keys of several numbers of axes reach, as one use may be right for some of them.
        holders: the expressions of containers and objects that hold keys.
        around: those around edits since the analysis, which may hold words by now.
    """

    text: str = ""
    ranks: Mapping[Written, int | None] = field(default_factory=dict)
    optional: AbstractSet[Written] = frozenset()
    likely: AbstractSet[Written] = frozenset()
    possible: AbstractSet[Written] = frozenset()
    holders: AbstractSet[Written] = frozenset()
    around: AbstractSet[Written] = frozenset()

    def of(self, text: str) -> Places:
        """Return the places of a text: these, or none if it is another one."""
        return self if self and text == self.text else NOWHERE

    def __bool__(self) -> bool:
        """Return whether keys reach any expression."""
        return bool(self.ranks or self.likely or self.possible or self.holders)

    def rows(self) -> set[int]:
        """Return the rows of the expressions."""
        return {row for row, *_ in chain(self.ranks, self.likely, self.possible, self.holders)}

    def after(self, edits: Iterable[Edit], text: str) -> Places:
        """Return the places of the text that some edits give: those outside of the edits, and around them.

        Args:
            edits: the edits, which do not overlap; their rows and columns are characters.
            text: the text after them.
        """
        shift = _Shift(self.text, edits, text)
        every = [*chain(self.ranks, self.likely, self.possible, self.holders)]
        moved = {place: new for place in every if (new := shift.moved(place)) is not None}
        ranks = {moved[place]: rank for place, rank in self.ranks.items() if place in moved}
        around = {place for place in every if place in self.around or shift.is_around(place)}
        sets = (self.optional, self.likely, self.possible, self.holders, around)
        return Places(text, ranks, *(frozenset(moved[place] for place in each if place in moved) for each in sets))


NOWHERE = Places()


class _Shift:
    """Where parts of a text are after some edits."""

    def __init__(self, before: str, edits: Iterable[Edit], after: str) -> None:
        self._lines, self._starts = _lines(before)
        self._new_lines, self._new_starts = _lines(after)
        self._edits: list[tuple[int, int]] = []
        self._moves = [0]
        for edit in sorted(edits):
            start, end = (self._starts[at.row - 1] + at.column - 1 for at in (edit.span.start, edit.span.end))
            self._edits.append((start, end))
            self._moves.append(self._moves[-1] + len(edit.content) - (end - start))
        self._ends = [end for _, end in self._edits]

    def moved(self, place: Written) -> Written | None:
        """Return where an expression is; ``None`` if an edit replaces a part of it together with its surroundings."""
        start, end = self._offset(*place[:2]), self._offset(*place[2:])
        first, last = bisect_left(self._ends, start + 1), bisect_left(self._ends, end)
        while last < len(self._ends) and self._edits[last][0] < self._ends[last] == end:
            last += 1  # within it, unlike what is inserted behind it
        if any(one < start < other or one < end < other for one, other in self._edits[first : last + 1]):
            return None
        if any(one <= start and end <= other for one, other in self._edits[first : last + 1]):
            return None
        return *self._written(start + self._moves[first]), *self._written(end + self._moves[last])

    def is_around(self, place: Written) -> bool:
        """Say whether an edit is within an expression."""
        start, end = self._offset(*place[:2]), self._offset(*place[2:])
        first = bisect_left(self._ends, start + 1)
        return first < len(self._edits) and start <= self._edits[first][0] and self._ends[first] <= end

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def _written(self, offset: int) -> tuple[int, int]:
        row = bisect_left(self._new_starts, offset + 1) - 1
        text = self._new_lines[row] if row < len(self._new_lines) else ""
        column = offset - self._new_starts[row]
        return row + 1, column if text.isascii() else len(text[:column].encode())


def _lines(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text, and where they start."""
    lines, starts = split_lines(text), [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return lines, starts
