"""What the engine hands to the reports: plain values, one per file and one per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from olympus_lint.files.problems import Problem
from olympus_rules.finding import Applicability, Finding

if TYPE_CHECKING:
    from olympus_lint.embedded.places import Places

__all__ = ["FileResult", "FixResult", "RunResult", "can_fix"]


@dataclass(slots=True)
class FileResult:
    """One file after the check, and after its fixes where these were asked for.

    Attributes:
        filename: the path as the user gave it.
        findings: what is left after suppressions, selection and minimum confidence, in the order of places.
        errors: why rules or the whole file were not checked.
        text: the text that the findings are about; kept only where there are findings.
        analysed: whether the file was parsed; a file that cannot hold a key is not.
        fixes: the number of applied fixes by code.
        diff: what fixes would change, as a unified diff.
        suppressed: how many findings ``--add-noqa`` has suppressed.
        notes: what was checked in part only; unlike errors they leave the exit status alone.
        cached: whether the result is that of an earlier run.
        places: where the rows of the text stand in the file, if that holds Python among other things.
        shown: the text of each cell of a notebook, or that of the whole file, if it has places.
    """

    filename: str
    findings: list[Finding] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    text: str = ""
    analysed: bool = True
    fixes: Counter[str] = field(default_factory=Counter)
    diff: str = ""
    suppressed: int = 0
    notes: list[Problem] = field(default_factory=list)
    cached: bool = False
    places: Places | None = None
    shown: Mapping[int | None, str] = field(default_factory=dict)


@dataclass(slots=True)
class FixResult:
    """A text after its fixes: how many were applied by code, and what is left to report."""

    text: str
    fixes: Counter[str]
    findings: list[Finding]
    errors: list[Problem]
    notes: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RunResult:
    """All files of a run, for the reports.

    Attributes:
        files: every file, in the order of the run.
        problems: what is wrong outside the files: missing paths, unreadable folders.
        unsafe: whether unsafe fixes were asked for.
    """

    files: Sequence[FileResult]
    problems: list[Problem] = field(default_factory=list)
    unsafe: bool = False

    @property
    def findings(self) -> list[Finding]:
        """Return the findings of all files, in the order of files and places."""
        found = (
            file.places.finding(finding) if file.places is not None else finding
            for file in self.files
            for finding in file.findings
        )
        return sorted(found, key=lambda finding: finding.sort_key)

    @property
    def errors(self) -> list[Problem]:
        """Return the problems of the run and of its files."""
        return [*self.problems, *(error for file in self.files for error in file.errors)]

    @property
    def notes(self) -> list[Problem]:
        """Return what was checked in part only."""
        return [note for file in self.files for note in file.notes]

    @property
    def texts(self) -> dict[tuple[str, int | None], str]:
        """Return the texts of the files with findings, by filename and, in notebooks, by cell."""
        texts: dict[tuple[str, int | None], str] = {}
        for file in self.files:
            if file.text:
                shown = {None: file.text} if file.places is None else file.shown
                texts |= {(file.filename, cell): text for cell, text in shown.items()}
        return texts

    @property
    def fixes(self) -> Counter[str]:
        """Return the number of applied fixes by code."""
        return sum((file.fixes for file in self.files), Counter[str]())


def can_fix(finding: Finding, *, unsafe: bool) -> bool:
    """Say whether ``--fix`` would put a finding right; ``unsafe`` counts the unsafe fixes too."""
    return finding.fix is not None and (unsafe or finding.fix.applicability is Applicability.SAFE)
