"""Constructors of raw keys, and the reasons that hold them back, with the paths of their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_rules.finding import Finding
    from olympus_rules.reach.answers.paths import Path
    from olympus_rules.reach.solver.values import Place

SHOWN = 6
"""The most lines of a path in a line of text."""
UNSURE = {"reaches": "may reach", "is passed": "may be passed", "meets": "may meet"}
"""The predicates of reasons, and the same for a path with steps that may not be taken."""


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of a file, or of a cell of a notebook."""

    filename: str
    cell: int | None
    row: int

    def __str__(self) -> str:
        """Return the line as it is shown."""
        return f"{self.filename}:{'' if self.cell is None else f'cell {self.cell}:'}{self.row}"


def line_of(finding: Finding) -> Line:
    """Return the line of a finding."""
    return Line(finding.filename, finding.cell, finding.span.start.row)


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """A reason that holds back a constructor.

    Attributes:
        line: its place.
        text: the reason, as the predicate of a sentence whose subject is the key.
        code: the rule that reports it; empty for a call.
        path: the lines from the constructor to the place; empty if no path is known.
    """

    line: Line
    text: str
    code: str = ""
    path: tuple[Line, ...] = field(default=(), compare=False)

    @property
    def spot(self) -> tuple[Line, str]:
        """Return the line, and the rule that reports it."""
        return self.line, self.code


@dataclass(frozen=True, slots=True)
class Constructor:
    """A place that names the constructor of raw keys.

    Attributes:
        filename, row, column: its place, with rows and columns from 1.
        spelled: its spelling in the source.
        reasons: the reasons that hold it back; none if it can be renamed.
        checks: the places that its key may get to, and that may not take a typed key; they hold nothing back.
        cell: the cell of a notebook.
        kind: ``constructor``, ``parameter`` for one of a function that callers pass keys to, or ``derivation`` for a
            call that derives keys from words, which are typed where JAX's flag is set.
    """

    filename: str
    row: int
    column: int
    spelled: str
    reasons: tuple[Reason, ...]
    cell: int | None = None
    kind: str = "constructor"
    checks: tuple[Reason, ...] = ()

    @property
    def is_constructor(self) -> bool:
        """Say whether it is a constructor, and no other source of keys."""
        return self.kind == "constructor"


def along(reason: Reason, way: Path | None, line_of: Callable[[Place], Line], *, is_sure: bool) -> Reason:
    """Return a reason with the lines on the way of the key, as far as one is known.

    Args:
        reason: the reason.
        way: a way of the key to the place.
        line_of: returns the line of a place.
        is_sure: whether the key is known to get there.
    """
    text = reason.text if is_sure else _unsure(reason.text)
    if way is None:
        return replace(reason, text=text)
    lines = [*map(line_of, way), reason.line]
    path = tuple(line for line, before in zip(lines, [None, *lines], strict=False) if line != before)
    return replace(reason, text=text, path=path)


def _unsure(text: str) -> str:
    for sure, unsure in UNSURE.items():
        if text.startswith(sure):
            return unsure + text.removeprefix(sure)
    return text


def short(path: Sequence[Line]) -> str:
    """Return a path as text: at most some lines, without the middle; nothing for a path of one line or two."""
    if len(path) < 3:
        return ""
    half = SHOWN // 2
    parts = [path[:half], path[-half:]] if len(path) > SHOWN else [path]
    return " → … → ".join(" → ".join(_lines(part)) for part in parts)


def _lines(path: Sequence[Line]) -> list[str]:
    """Return lines as text; one in the file of the line before it as its row alone."""
    pairs = zip(path, [None, *path], strict=False)
    return [
        f":{line.row}" if before and (line.filename, line.cell) == (before.filename, before.cell) else str(line)
        for line, before in pairs
    ]
