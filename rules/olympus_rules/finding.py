"""What a rule reports: plain values, shared by rules, codemods and reporting.

Rows and columns start at 1 and columns count characters, as editors show them (the contract of the JSON
output). Spans are half open: ``end`` is the position after the last character.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus.verdicts import Verdict


class Confidence(IntEnum):
    """How sure the analysis is; ordered, so that a minimum can be asked for."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    @property
    def label(self) -> str:
        """Return the word used in settings and output: ``possible``, ``likely`` or ``certain``."""
        return self.name.lower()


class Applicability(StrEnum):
    """Whether a fix keeps the numbers (safe) or changes the random stream or needs a human (unsafe).

    It is unsettled where that depends on other files, and nobody has asked for it.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters of a file."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """A second place that a finding speaks of, such as the first use of a reused key.

    Attributes:
        further: the same mistake, made there once more, as a finding of its own; ``None`` for a place that the finding
            does not stand without.
        later: whether it is executed after the place of the finding.
        aside: whether it explains the finding, and is none of its two uses of a key.
    """

    message: str
    filename: str
    span: Span
    cell: int | None = None
    further: Finding | None = field(default=None, compare=False)
    later: bool = False
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way of a key that is used twice: its source, a key that is made of the one before, or a use.

    Attributes:
        kind: ``source``, ``key``, ``first`` or ``again``.
        label: the key or the consumer as it is written.
        how: what makes the key, such as ``split``, or repeats the use, such as ``loop``; empty elsewhere.
        row: the row, 0 if it is not known.
        cell: the cell of a notebook, as in :class:`Finding`.
    """

    kind: str
    label: str
    how: str = ""
    row: int = 0
    cell: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the text of a span; an empty span inserts, an empty content deletes.

    The cell is that of a notebook, as in :class:`Finding`.
    """

    span: Span
    content: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that put a finding right; they do not overlap each other.

    Attributes:
        applicability: whether they keep the numbers.
        message: what they do.
        edits: the edits, in the order of places.
        binds: the new names that they bind, each qualified by the place of the scope that binds it.
        shows_keys: whether a value is a key afterwards that no analysis has seen as one before, so that what becomes of
            it has to be looked for.
        advice: the sentence that says so in a message, with the code that is written; empty if the rule says enough.
    """

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]
    binds: tuple[str, ...] = field(default=(), compare=False)
    shows_keys: bool = field(default=False, compare=False)
    advice: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """One report of one rule at one place.

    Attributes:
        code: the rule's code, for example ``OLY104``.
        name: the rule's name, for example ``key-reuse``.
        message: a sentence that names the variable, the places and the next step.
        filename: the path as the user gave it.
        span: the place that is flagged.
        confidence: how sure the analysis is.
        related: other places that belong to the finding.
        effect: what a reuse does: ``same-draw``, ``same-children`` or ``dependent``; ``None`` elsewhere.
        fix: what would put it right, where that is known.
        cell: the notebook cell, counted from 1; ``None`` outside notebooks.
        verdict: whether it is true, where that was traced.
        lineage: the way of a key that is used twice, from its source to both uses; empty elsewhere.
    """

    code: str
    name: str
    message: str
    filename: str
    span: Span
    confidence: Confidence = Confidence.CERTAIN
    related: tuple[Related, ...] = ()
    effect: str | None = None
    fix: Fix | None = field(default=None, compare=False)
    cell: int | None = None
    verdict: Verdict | None = field(default=None, compare=False)
    lineage: tuple[Step, ...] = field(default=(), compare=False)

    @property
    def other(self) -> Related | None:
        """Return the place that makes a mistake of this one, ``None`` where there is none."""
        return next((each for each in self.related if each.further is None and not each.aside), None)

    @property
    def claim(self) -> str:
        """Return the first sentence of the message: what is wrong, without the next step."""
        return f"{self.message.partition('. ')[0].removesuffix('.')}."

    @property
    def at_each_place(self) -> list[Finding]:
        """Return a finding for each place that makes the mistake, this one first."""
        return [self, *(each.further for each in self.related if each.further is not None)]

    @property
    def sort_key(self) -> tuple[str, int, Span, str]:
        """Return the order of a report: by file, cell, place and code."""
        return (self.filename, self.cell or 0, self.span, self.code)
