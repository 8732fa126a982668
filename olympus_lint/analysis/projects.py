"""The open projects of the key flow, and which results of earlier runs still hold."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from olympus_lint.analysis.cache import AnswerMemory, Cache
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.project import locate
from olympus_rules.syntax.text import decode

if TYPE_CHECKING:
    from olympus_rules.keyflow.linking.answers import Answers, Need
    from olympus_rules.keyflow.linking.project import Project

RECURSION_LIMIT = 20_000
MOST_KNOWN = 500
"""Answers of files that are kept when the next file is one of another project, which asks none of them again."""

Choice: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def _choice(settings: Settings) -> Choice:
    return tuple(settings.library_roots), tuple(settings.signature_packs)


class Projects:
    """The open projects of the key flow: one for each choice of ``library-roots`` and ``signature-packs``.

    Attributes:
        cache: the cache between runs; ``None`` without one.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        """Start with no file; results of earlier runs are read from the cache, and new ones are written to it."""
        self.cache = cache
        self._projects: dict[Choice, Project] = {}
        self._answers: dict[Choice, Answers] = {}
        self._unsettled: list[tuple[str, tuple[Path, ...], dict[Need, None], FileResult, Settings]] = []
        self._roots: frozenset[Path] = frozenset()

    def enter(self, filename: str) -> None:
        """Let go of what is known of other projects, if it is much: nobody asks for it before the next file of theirs.

        Args:
            filename: the file that is checked next.
        """
        roots = frozenset(locate(disk.absolute(filename)).roots)
        known = sum(answers.number for answers in self._answers.values())
        if known > MOST_KNOWN and self._roots.isdisjoint(roots):
            self.finish()
            self.close()
            self._projects, self._answers, self._unsettled = {}, {}, []
        self._roots = roots

    def get(self, settings: Settings) -> Project:
        """Return the project of files with these settings."""
        from olympus_rules.keyflow.linking.project import Project  # loads the interpreter only where a file needs it

        choice = _choice(settings)
        if choice not in self._projects:
            self._projects[choice] = Project(*choice, self._answers_of(settings))
        return self._projects[choice]

    def _answers_of(self, settings: Settings) -> Answers:
        from olympus_rules.keyflow.linking.answers import Answers

        choice = _choice(settings)
        if choice not in self._answers:
            memory = None if self.cache is None else AnswerMemory(self.cache, settings)
            self._answers[choice] = Answers(lambda question: self.get(settings).compute(question), memory)
        return self._answers[choice]

    def recall(self, filename: str, data: bytes, settings: Settings) -> FileResult | None:
        """Return the result of an earlier run, if it is still what a check would give."""
        entry = self.cache.load_result(filename, settings) if self.cache is not None else None
        if entry is None:
            return None
        path = disk.absolute(filename)
        answers = self._answers_of(settings)
        if answers.stamp(str(path), data) != entry.stamp:
            return None
        try:
            with deep_recursion():
                if not answers.holds(locate(path).roots, entry.needs):
                    return None
            if entry.result.findings:
                entry.result.text = decode(data)
        except Exception:  # the check of the file reports the internal failure
            self.distrust()
            return None
        finally:
            for project in self._projects.values():
                project.trim()
        return entry.result

    def keep(self, document: Document, data: bytes, settings: Settings, result: FileResult) -> None:
        """Save a result without errors, if all of its needs are settled."""
        if self.cache is None:
            return
        answers, needs = self._answers_of(settings), self.get(settings).needs(document)
        answers.flush()
        if needs is None or result.errors:
            return
        stamp, settled = answers.stamp(document.path, data), answers.settled(document.roots, needs)
        if len(settled) == len(needs):
            self.cache.save_result(stamp, settled, result, settings)
        else:
            self._unsettled.append((stamp, document.roots, needs, replace(result, text=""), settings))

    def finish(self) -> None:
        """Save the results that depend on circles of files; none of their projects may be checked afterwards."""
        if self.cache is None:
            return
        try:
            with deep_recursion():
                for answers in self._answers.values():
                    answers.flush(finally_=True)
                for stamp, roots, needs, result, settings in self._unsettled:
                    settled = self._answers_of(settings).settled(roots, needs, finally_=True)
                    if len(settled) == len(needs):
                        self.cache.save_result(stamp, settled, result, settings)
        except Exception:  # the results are complete, and the next run computes these entries again
            self.distrust()

    def distrust(self) -> bool:
        """Stop using the cache and forget what was read from it; return whether an answer was read."""
        used = any(answers.recalled for answers in self._answers.values())
        if self.cache is not None:
            self.cache, self._projects, self._answers, self._unsettled = None, {}, {}, []
        return used

    def close(self) -> None:
        """Close the analyses of all files; answers about their names are kept."""
        for project in self._projects.values():
            project.trim(0)

    def forget(self, filename: str) -> None:
        """Forget a file that was rewritten."""
        for project in self._projects.values():
            project.forget(str(disk.absolute(filename)))


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit: an answer may need another answer, which may need a third."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
