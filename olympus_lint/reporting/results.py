"""Results: plain values for a file and for a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from olympus_lint.embedded.places import Places, Source
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError, decode_utf8
from olympus_rules.finding import Applicability, Finding
from olympus_rules.syntax.text import decode, split_lines


@dataclass(slots=True)
class FileResult:
    """The result of one file, after its fixes if these are applied.

    Attributes:
        filename: the path as the user gave it.
        findings: the findings after suppressions, selection and minimum confidence, in the order of places.
        errors: why the file, or a rule on it, was not checked.
        text: the text of the findings; empty without findings.
        analysed: whether the file was analysed; a file that cannot hold a key is not.
        fixes: the number of fixed findings by code.
        along: how many of them had no fix of their own.
        diff: the changes of the fixes, as a unified diff.
        suppressed: the number of findings that ``--add-noqa`` has suppressed.
        notes: parts that were not checked; unlike errors, they do not change the exit status.
        cached: whether the result comes from an earlier run.
        quiet: the number of findings in a test that the quiet preset does not show.
        places: the places of the text's rows in the file, if the file holds pieces of Python.
        shown: the text of each cell of a notebook, or of the whole file, if it has places.
        later: reads the text, and what is shown, for a report that wants them; the findings have no places then.
    """

    filename: str
    findings: list[Finding] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    text: str = ""
    analysed: bool = True
    fixes: Counter[str] = field(default_factory=Counter)
    along: int = 0
    diff: str = ""
    suppressed: int = 0
    notes: list[Problem] = field(default_factory=list)
    cached: bool = False
    quiet: int = 0
    places: Places | None = None
    shown: Mapping[int | None, Source] = field(default_factory=dict)
    later: Callable[[], tuple[str, Mapping[int | None, Source]]] | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The results of a run.

    Attributes:
        files: every file, in the order of the run.
        problems: problems outside the files: missing paths, unreadable folders.
        unsafe: whether unsafe fixes are enabled.
        is_part: whether other runs check the other files, so that the report is to be merged with theirs.
    """

    files: Sequence[FileResult]
    problems: list[Problem] = field(default_factory=list)
    unsafe: bool = False
    is_part: bool = False

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
        """Return the notes of all files."""
        return [note for file in self.files for note in file.notes]

    @property
    def sources(self) -> dict[tuple[str, int | None], Source]:
        """Return the texts of the files with findings, by filename and, in notebooks, by cell."""
        found: dict[tuple[str, int | None], Source] = {}
        for file in self.files:
            if file.later is not None:
                file.text, file.shown = file.later()
            if file.text:
                shown = file.shown or {None: Source(file.text)}
                found |= {(file.filename, cell): source for cell, source in shown.items()}
        return found

    @property
    def lines(self) -> dict[tuple[str, int | None], list[str]]:
        """Return the lines of these texts."""
        return {place: split_lines(source.text) for place, source in self.sources.items()}

    @property
    def quiet(self) -> int:
        """Return the number of findings in tests that the quiet preset does not show."""
        return sum(file.quiet for file in self.files)

    @property
    def fixes(self) -> Counter[str]:
        """Return the number of fixed findings by code."""
        return sum((file.fixes for file in self.files), Counter[str]())


def can_fix(finding: Finding, *, unsafe: bool) -> bool:
    """Say whether ``--fix`` would fix a finding; ``unsafe`` counts unsafe fixes, too."""
    return finding.fix is not None and (unsafe or finding.fix.applicability is Applicability.SAFE)


def is_unsettled(finding: Finding) -> bool:
    """Say whether ``--fix`` finds out first whether the fix of a finding is safe."""
    return finding.fix is not None and finding.fix.applicability is Applicability.UNSETTLED


def shown_lines(filename: str, kind: str) -> tuple[str, Mapping[int | None, Source]]:
    """Return the text of a file, and that of each cell of a notebook; no text if it is not what it was.

    Args:
        filename: the file.
        kind: ``python``, or what holds pieces of Python.
    """
    try:
        if not Path(filename).is_file():  # a report may name a device
            return "", {}
        data = Path(filename).read_bytes()
        if kind == "python":
            return decode(data), {}
        from olympus_lint.embedded.module import read

        embedded = read(filename, decode_utf8(data), kind)
    except (OSError, SyntaxError, ValueError, InputError):
        return "", {}
    return embedded.text or " ", embedded.sources
