"""The open projects of the key flow, and which results of earlier runs still hold."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.analysis.cache import AnswerMemory, Cache
from olympus_lint.analysis.kept_rests import Choice, Group, KeptRests, choice_of
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.array_names import glimpses, shows_the_same
from olympus_rules.syntax.project import locate
from olympus_rules.syntax.text import decode

if TYPE_CHECKING:
    from olympus_rules.keyflow.linking.answers import Answers, Need
    from olympus_rules.keyflow.linking.project import Project

RECURSION_LIMIT = 20_000
MOST_KNOWN = 500
"""Answers of files that are kept when the next file is one of another project, which asks none of them again."""


class Projects:
    """The open projects of the key flow: one for each choice of ``library-roots`` and ``signature-packs``.

    Attributes:
        cache: the cache between runs; ``None`` without one.
        rests: keeps what rests on what for the next run; ``None`` if nothing is kept.
    """

    def __init__(self, cache: Cache | None = None, rests: KeptRests | None = None) -> None:
        """Start with no file; results of earlier runs are read from the cache, and new ones are written to it."""
        self.cache, self.rests = cache, rests
        self._projects: dict[Choice, Project] = {}
        self._answers: dict[Choice, Answers] = {}
        self._unsettled: list[tuple[str, str, tuple[Path, ...], dict[Need, None], FileResult, Settings]] = []
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
            self.save_rests()
            self.close()
            self._projects, self._answers, self._unsettled = {}, {}, []
        self._roots = roots

    def get(self, settings: Settings) -> Project:
        """Return the project of files with these settings."""
        return self._project(choice_of(settings))

    def _project(self, choice: Choice) -> Project:
        from olympus_rules.keyflow.linking.project import Project  # loads the interpreter only where a file needs it

        if choice not in self._projects:
            self._projects[choice] = Project(*choice, self._answers_of(choice))
        return self._projects[choice]

    def _answers_of(self, choice: Choice) -> Answers:
        from olympus_rules.keyflow.linking.answers import Answers

        if choice not in self._answers:
            memory = None if self.cache is None else AnswerMemory(self.cache, *choice)
            self._answers[choice] = Answers(lambda question: self._project(choice).compute(question), memory)
        return self._answers[choice]

    def reached(self, group: Group, changed: Collection[str], further: Collection[str]) -> set[str] | None:
        """Return the files whose results may be others than in an earlier run; ``None`` if all may be.

        Args:
            group: what rests on what since then; what still holds of it is kept for the next run.
            changed: the files with other texts.
            further: other files whose results may be others.
        """
        found = {*changed, *further}
        answers = {choice: self._answers_of(choice) for choice in group.rests}
        if not all(shows_the_same(path, group.glimpses.get(path, {})) for path in changed):
            return None
        try:
            with deep_recursion():
                for choice, rests in group.rests.items():
                    reached = rests.reached([*changed, *further], answers[choice])
                    group.rests[choice] = rests.without(reached)
                    found |= reached
        except Exception:  # the check of the file reports the internal failure
            self.distrust()
            return None
        if self.rests is not None:
            self.rests.add(group)
        return found

    def save_rests(self) -> None:
        """Keep what rests on what, as far as this process has looked."""
        if self.rests is not None:
            found = {choice: answers.rests() for choice, answers in self._answers.items()}
            self.rests.add(Group(found, glimpses()))
            self.rests.save()

    def recall(self, filename: str, data: bytes, settings: Settings) -> FileResult | None:
        """Return the result of an earlier run, if it is still what a check would give."""
        entry = self.cache.load_result(filename, settings) if self.cache is not None else None
        if entry is None:
            return None
        path = disk.absolute(filename)
        answers = self._answers_of(choice_of(settings))
        if answers.stamp(str(path), data) != entry.stamp:
            return None
        try:
            with deep_recursion():
                if not answers.holds(str(path), entry.needs):
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
        answers, needs = self._answers_of(choice_of(settings)), self.get(settings).needs(document)
        answers.flush()
        if needs is None or result.errors:
            answers.leave_open(document.path)
            return
        stamp, settled = answers.stamp(document.path, data), answers.settled(document.path, document.roots, needs)
        if len(settled) == len(needs):
            self.cache.save_result(stamp, settled, result, settings)
        else:
            self._unsettled.append((stamp, document.path, document.roots, needs, replace(result, text=""), settings))

    def finish(self) -> None:
        """Save the results that depend on circles of files; none of their projects may be checked afterwards."""
        if self.cache is None:
            return
        try:
            with deep_recursion():
                for answers in self._answers.values():
                    answers.flush(finally_=True)
                for stamp, path, roots, needs, result, settings in self._unsettled:
                    answers = self._answers_of(choice_of(settings))
                    settled = answers.settled(path, roots, needs, finally_=True)
                    if len(settled) == len(needs):
                        self.cache.save_result(stamp, settled, result, settings)
        except Exception:  # the results are complete, and the next run computes these entries again
            self.distrust()

    def distrust(self) -> bool:
        """Stop using the cache and forget what was read from it; return whether an answer was read."""
        used = any(answers.recalled for answers in self._answers.values())
        if self.cache is not None:
            self.cache, self.rests, self._projects, self._answers, self._unsettled = None, None, {}, {}, []
        return used

    def close(self) -> None:
        """Close the analyses of all files; answers about their names are kept."""
        for project in self._projects.values():
            project.close()

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
