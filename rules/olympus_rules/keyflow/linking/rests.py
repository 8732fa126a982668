"""What rests on what after a run: by which answers of other files the results and answers of each file came about.

So a run after some edits asks only the edited files for their answers, and goes on where one of these is another one
now. What rests on none of them holds without a look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


class Question(NamedTuple):
    """What one file asks of another: a name in it, and whether keys depend on the answer."""

    path: str
    name: str
    concerned: bool


class Asking(Protocol):
    """Gives present answers."""

    def trust(self, proven: dict[Question, str]) -> None:
        """Take the digests of the answers that are known to be the same as in the run before."""

    def present(self, question: Question) -> str | None:
        """Return the digest of a file's present answer, ``None`` if it has no final one."""


@dataclass(slots=True)
class Rests:
    """What rests on what.

    Attributes:
        digests: the digest of each answer.
        asked: by file, the questions whose answers its result and its own answers rest on; ``None`` if some of these
            are not known.
    """

    digests: dict[Question, str] = field(default_factory=dict)
    asked: dict[str, set[Question] | None] = field(default_factory=dict)

    def reached(self, changed: Iterable[str], answers: Asking) -> set[str]:
        """Return the files whose results or answers may be others since some files have changed.

        Args:
            changed: the files with other texts.
            answers: those of this run, which are told what is not reached.
        """
        askers: dict[Question, list[str]] = {}
        answered: dict[str, list[Question]] = {}
        for path, questions in self.asked.items():
            for question in questions or ():
                askers.setdefault(question, []).append(path)
        for question in self.digests:
            answered.setdefault(question.path, []).append(question)
        first = {*changed, *(path for path, questions in self.asked.items() if questions is None)}

        def spread(goes_on: bool) -> set[str]:
            reached, waiting = set(first), [*first]
            while waiting:
                for question in answered.get(waiting.pop(), ()):
                    if goes_on or answers.present(question) != self.digests[question]:
                        new = set(askers.get(question, ())) - reached
                        reached |= new
                        waiting += new
            return reached

        answers.trust(self._beside(spread(goes_on=True)))
        reached = spread(goes_on=False)
        answers.trust(self._beside(reached))
        return reached

    def _beside(self, reached: Collection[str]) -> dict[Question, str]:
        return {question: digest for question, digest in self.digests.items() if question.path not in reached}

    def without(self, reached: Collection[str]) -> Rests:
        """Return what is left without some files, which are looked at anew."""
        return Rests(self._beside(reached), {path: each for path, each in self.asked.items() if path not in reached})

    def add(self, later: Rests) -> None:
        """Add what a later part of the run has seen."""
        self.digests |= later.digests
        for path, questions in later.asked.items():
            known = self.asked.get(path, set())
            self.asked[path] = None if known is None or questions is None else known | questions

    def as_data(self) -> list[Any]:
        """Return it as plain data, in which files and questions are numbers."""
        questions = {question: number for number, question in enumerate(self.digests)}
        paths = {path: number for number, path in enumerate(dict.fromkeys([*(q.path for q in questions), *self.asked]))}
        asked = [
            [paths[path], None if each is None or not questions.keys() >= each else sorted(questions[q] for q in each)]
            for path, each in self.asked.items()
        ]
        rows = [[paths[q.path], q.name, int(q.concerned), self.digests[q]] for q in questions]
        return [[*paths], rows, asked]


def rests_of(data: Any) -> Rests:
    """Return what plain data say.

    Raises:
        ValueError, TypeError, LookupError: they are of another form.
    """
    paths, rows, asked = data
    digests = {Question(paths[number], name, bool(concerned)): digest for number, name, concerned, digest in rows}
    questions = [*digests]
    found = {paths[path]: None if each is None else {questions[number] for number in each} for path, each in asked}
    return Rests(digests, found)
