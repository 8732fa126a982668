"""A file during its migration: its text, what was rewritten in it, and where its rows are in the user's file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from olympus_lint.embedded.module import Embedded
from olympus_lint.embedded.places import Places as RowPlaces
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError
from olympus_lint.project.settings import Settings
from olympus_rules.finding import Fix
from olympus_rules.rule import Report


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewritten place.

    Attributes:
        report: the report on the text before the rewrite.
        fix: the rewrite.
        before, after: the lines that it changes.
    """

    report: Report
    fix: Fix
    before: str
    after: str


@dataclass(slots=True)
class Text:
    """A file during its migration.

    Attributes:
        filename: the path as the user gave it.
        settings: those of its folder.
        old: the text before the migration.
        new: the current text.
        rewritten: the rewrites in order.
        problems: its problems.
        notes: parts that were not analysed.
        embedded: the file with its pieces of Python; ``old`` and ``new`` are then the module that joins the pieces.
        rows: the places of the module's rows in the file.
        ready: the text of the file before its constructors were renamed.
        is_named: whether the user named the file; another is only read, as named ones import it.
        checked: the text on which there were reports the last time.
        references: those of them that are about the constructor of raw keys.
    """

    filename: str
    settings: Settings
    old: str
    new: str = ""
    rewritten: list[Rewritten] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    embedded: Embedded | None = None
    rows: RowPlaces = field(default_factory=RowPlaces)
    ready: str = ""
    is_named: bool = True
    checked: str | None = None
    references: list[Report] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start with the old text."""
        self.new = self.new or self.old
        if self.embedded is not None:
            self.rows = self.embedded.places

    @property
    def path(self) -> str:
        """Return its absolute path."""
        return str(Path(self.filename).absolute())

    @property
    def before(self) -> str:
        """Return the text of the file before the migration."""
        return self.old if self.embedded is None else self.embedded.file

    @property
    def after(self) -> str:
        """Return the current text of the file.

        Raises:
            InputError: the pieces cannot be put back.
        """
        return self.new if self.embedded is None else self.embedded.put_back(self.new)

    @property
    def said(self) -> list[Problem]:
        """Return the notes with rows of the file."""
        alone = self.embedded.notes if self.embedded is not None and self.embedded.kind != "python" else ()
        return [*map(self.rows.problem, self.notes), *alone]

    def rows_now(self) -> RowPlaces:
        """Return the places of the rows in the current file; the old places if the pieces cannot be put back."""
        try:
            return self.rows if self.embedded is None else self.embedded.places_of(self.new)
        except InputError:
            return self.rows

    def settle(self) -> bool:
        """Update the places of the rows; undo the migration of a file whose pieces cannot be put back.

        Returns:
            Whether the pieces can be put back.
        """
        if self.embedded is None:
            return True
        try:
            self.rows = self.embedded.places_of(self.new)
        except InputError as error:
            self.problems.append(Problem(self.filename, str(error)))
            self.undo()
            return False
        return True

    def renew_docstrings(self) -> bool:
        """Put rewritten examples into the docstrings around them; return whether that changes the text."""
        before = self.new
        with suppress(InputError):
            self.new = self.new if self.embedded is None else self.embedded.with_new_docstrings(self.new)
        return self.new != before

    def with_magics(self, lines: str) -> str:
        """Return lines of a notebook with its magics instead of their placeholders."""
        for aside in self.embedded.aside if self.embedded is not None else ():
            lines = lines.replace(aside.name, aside.magic)
        return lines

    def undo(self) -> None:
        """Go back to the old text."""
        self.new, self.rewritten = self.old, []
        self.rows = self.rows if self.embedded is None else self.embedded.places
