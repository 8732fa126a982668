"""The look-ups of one file in the other files of its project."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.code.instructions import ClassCode
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.summary import GENERAL
from olympus_rules.keyflow.domain.values import Bound, Class, Function, Value
from olympus_rules.keyflow.linking import records
from olympus_rules.keyflow.linking.answers import STEPS, Answers, Need, Record
from olympus_rules.keyflow.linking.rests import Question
from olympus_rules.syntax.project import in_project, locate_name


class Lookups:
    """What a file asks of other files.

    Attributes:
        needs: the look-ups, in order of first use.
    """

    def __init__(self, file: File, answers: Answers, needs: dict[Need, None]) -> None:
        """Take the tables of the file, and what it needs of others whatever its functions do."""
        self._file, self._linker, self._answers = file, file.linker, answers
        self._document = file.document
        self.needs = needs
        self._outside: dict[tuple[str, bool], Value | None] = {}
        self._classes: dict[str, ClassCode] = {}

    def outside(self, qualified: str, *, concerned: bool) -> Value | None:
        """Return the value of a qualified name that other files of the project define or re-export.

        Args:
            qualified: the name as the imports of this file give it.
            concerned: whether keys depend on the answer; otherwise functions that concern keys suffice.

        Returns:
            ``None`` if the name is not of the project, its value is unknown, or it does not concern keys.
        """
        slot = (qualified, concerned)
        if slot not in self._outside:
            self.needs[Need("keys" if concerned else "name", qualified)] = None
            value, is_final = self._ask(qualified, concerned) if self._document.roots else (None, True)
            if not is_final:
                return value
            self._outside[slot] = value
        return self._outside[slot]

    def is_settled(self, qualified: str) -> bool:
        """Return whether what is known of a qualified name, concerning keys, can no longer change."""
        return (qualified, True) in self._outside

    def _ask(self, qualified: str, concerned: bool) -> tuple[Value | None, bool]:
        for step in range(STEPS):
            place = locate_name(self._document.roots, qualified)
            if place is None:
                is_foreign = step > 0 and not in_project(self._document.roots, qualified)
                return self._linker.names.library(qualified) if is_foreign else None, True
            own = self._file.module.definitions.get(place[1]) if str(place[0]) == self._document.path else None
            if own is not None:  # the file imports itself through its package
                return (Class(own) if isinstance(own, ClassCode) else self._file.function(own)), True
            question = Question(str(place[0]), place[1], concerned)
            answer = self._answers.answer(question)
            if answer is None:
                return None, True
            if "alias" in answer:
                qualified = answer["alias"]
                continue
            if "class" in answer:
                return Class(self._class(answer["class"], qualified)), True
            return records.read(self._file, answer, question.path), bool(answer["final"])
        return None, True

    def _class(self, record: Record, qualified: str) -> ClassCode:
        """Return a class of another file, the same one whatever is asked of it."""
        if qualified not in self._classes:
            class_ = self._classes[qualified] = records.read_class(record, qualified)
            bases: list[Value] = [self._linker.names.library(base) for base in record["bases"]]
            self._linker.hierarchy.inherit(class_, bases)
        return self._classes[qualified]

    def _has_summary(self, function: Function) -> bool:
        return function.code in self._file.unread or (function.code, GENERAL) in self._file.summaries

    def reach(self, function: Function, *, concerned: bool) -> Function | None:
        """Return a function of another file with its summary, ``None`` if it is out of reach."""
        if not function.code.is_foreign or self._has_summary(function) or not function.code.home:
            return function
        found = self.outside(function.code.home, concerned=concerned or function.code.is_property)
        if isinstance(found, Bound):  # a class method, which is bound by its attribute
            found = found.function
        if not isinstance(found, Function):
            return None
        if not function.captured and (found.doubtful or not function.doubtful):
            return found
        return replace(
            found, captured=function.captured or found.captured, doubtful=function.doubtful or found.doubtful
        )
