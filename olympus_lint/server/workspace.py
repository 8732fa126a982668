"""The open files of an editor, and the checks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.files.problems import Problem
from olympus_lint.project.configuration import Configuration
from olympus_lint.project.settings import Settings, SettingsError
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.clearance import UNASKED
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.fixing import fix_text, holds
from olympus_lint.run.one_file import check_bytes
from olympus_lint.server.buffers import Buffers
from olympus_rules.finding import Finding
from olympus_rules.keyflow.linking.lineage import Told, told_at
from olympus_rules.libraries import libraries
from olympus_rules.syntax import disk

UNREADABLE = (SettingsError, SyntaxError, ValueError, RecursionError, MemoryError)
"""Raised by what a check of the same text reports."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: the findings at their places in the file or its cells, and what went wrong."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()


class Workspace:
    """Checks open files. What is known of other files is kept until one of them changes.

    All methods belong to one thread.
    """

    def __init__(self) -> None:
        """Start without any file."""
        self._texts: Mapping[str, bytes] = {}
        self._projects = Projects()
        self._configuration = Configuration({})
        self._fixed: dict[str, str | None] = {}
        self._held: dict[tuple[str, Finding], bool] = {}

    def refresh(self) -> None:
        """Forget the settings and all that is known of files: something has changed."""
        libraries.cache_clear()  # a pack may be among what has changed
        self._configuration = Configuration({})
        self._projects = Projects()
        self._fixed, self._held = {}, {}

    def check(self, filename: str, texts: Mapping[str, bytes], *, asks_safety: bool = False) -> Checked:
        """Check an open file.

        Args:
            filename: its absolute name.
            texts: the bytes of all open files.
            asks_safety: whether it matters which fixes of constructors are safe, which takes another analysis.
        """
        clearance = None if asks_safety else UNASKED
        with disk.showing(self._now(filename, texts)):
            try:
                settings = self._configuration.at(Path(filename).parent)
            except SettingsError as error:
                return Checked(problems=(Problem("", str(error)),))
            if settings.excluded.match_any(Path(filename)):
                return Checked()
            context = Context(projects=self._projects, clearance=clearance)
            with deep_recursion():
                result, _ = check_bytes(filename, texts[filename], settings, context)
        return Checked(tuple(placed(result)), (*result.errors, *result.notes))

    def fixed(self, filename: str, texts: Mapping[str, bytes]) -> str | None:
        """Return the text of an open Python file after all safe fixes; ``None`` if it stays as it is."""
        with disk.showing(self._now(filename, texts)), deep_recursion(), suppress(*UNREADABLE):
            if filename not in self._fixed:
                text, settings = texts[filename].decode(), self._settings(filename)
                context = Context(Mode.FIX, self._projects)
                new = fix_text(filename, text, settings, context, unsafe=False).text
                self._fixed[filename] = None if new == text else new
            return self._fixed[filename]
        return None

    def held(self, filename: str, texts: Mapping[str, bytes], finding: Finding, findings: Sequence[Finding]) -> Finding:
        """Return a finding of an open Python file, without its fix if that would not end it.

        Args:
            filename: the absolute name of the file.
            texts: the bytes of all open files.
            finding: the finding.
            findings: all findings on the file.
        """
        with disk.showing(self._now(filename, texts)), deep_recursion(), suppress(*UNREADABLE):
            settings, key = self._settings(filename), (filename, finding)
            if settings.kind_of(filename) == "python" and key not in self._held:
                before, context = FileResult(filename, list(findings)), Context(projects=self._projects)
                self._held[key] = holds(finding, texts[filename].decode(), before, settings, context)
        return finding if self._held.get((filename, finding), True) else replace(finding, fix=None)

    def told(self, filename: str, texts: Mapping[str, bytes], row: int, column: int) -> Told | None:
        """Return what is known of the key or function at a place; rows and columns start at 1.

        Nothing is known in a text that cannot be parsed, or under wrong settings: the findings say so.
        """
        with disk.showing(self._now(filename, texts)), deep_recursion(), suppress(*UNREADABLE):
            project = self._projects.get(self._settings(filename))
            document = project.document(filename, texts[filename].decode())
            analysis = project.analysis(document)
            analysis.run()
            return told_at(analysis.file, row, column)
        return None

    def _settings(self, filename: str) -> Settings:
        return self._configuration.at(Path(filename).parent)

    def _now(self, filename: str, texts: Mapping[str, bytes]) -> Buffers:
        """Return the view of the texts; if others have changed since the last one, what rests on them is forgotten."""
        changed = {name for name in {*texts, *self._texts} if texts.get(name) != self._texts.get(name)}
        if changed - {filename}:
            self.refresh()
        elif changed:
            self._projects.forget(filename)
        if changed:
            self._fixed, self._held = {}, {}
        self._texts = texts
        return Buffers(texts)


def placed(result: FileResult) -> list[Finding]:
    """Return the findings of a file at their places in it, or in its cells."""
    return result.findings if result.places is None else [*map(result.places.finding, result.findings)]
