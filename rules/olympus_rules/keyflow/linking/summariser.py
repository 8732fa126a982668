"""The summaries of one file's functions: each is interpreted when a caller asks first, and again as cycles need it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from olympus.signatures.signature import KeySignature
from olympus_rules.code.instructions import FunctionCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import GENERAL, Specialisation, Summary, Task
from olympus_rules.keyflow.domain.values import Bound, Function, Mapped, Partial, Value
from olympus_rules.keyflow.interpret import interpreter
from olympus_rules.keyflow.interpret.specialisation import MAX_RECEIVERS, MAX_SPECIALISATIONS, is_receiver
from olympus_rules.keyflow.interpret.summarising import summarise, unknown_summary
from olympus_rules.keyflow.linking.failures import Forgotten, contained, place_of
from olympus_rules.keyflow.linking.recursion import DEEPEST, Frame, Full
from olympus_rules.keyflow.linking.session import Session
from olympus_rules.keyflow.notes.array_objects import ArrayObjects


class Summariser:
    """Interprets the functions of one file.

    Attributes:
        file: the tables of the file.
        drafts: the summaries of unfinished rounds.
        provisional: the summaries that rest on an unfinished function, with its depth on the stack.
        busy: how many interpretations and answers are in progress in the file; a file that they ask may ask this one.
        judged: whether the file's own facts are known, so that it is kept only for the questions of other files.
    """

    def __init__(self, file: File, session: Session, arrays: ArrayObjects | None) -> None:
        """Start without summaries."""
        self.file, self._session, self._arrays = file, session, arrays
        self.busy, self.judged = 0, False
        self.drafts: dict[Task, Summary] = {}
        self.provisional: dict[Task, int] = {}
        self._running: dict[Task, Frame] = {}
        self._delayed: set[Task] = set()
        self._specialised: dict[tuple[int | FunctionCode, ...], set[Specialisation]] = {}

    def summary(self, code: FunctionCode, given: Specialisation = GENERAL) -> Summary | None:
        """Return the summary of a function, interpreting it if need be.

        Args:
            code: the function.
            given: callables that its parameters hold, for a summary of its calls with these alone.

        Returns:
            While the function is being interpreted, its draft, or ``None`` if there is none yet.

        Raises:
            Forgotten: if the file has been judged, and the function was not interpreted before.
            Full: too many functions are being interpreted.
        """
        task = (code, given)
        found = self.file.summaries.get(task)
        if found is None and given == GENERAL and (read := self.file.unread.pop(code, None)) is not None:
            found = self.file.summaries[task] = read()
        if found is not None or code.is_foreign:
            if task in self.provisional:
                self._session.stack.rest_on(self.provisional[task])
            return found
        if task in self._running:
            self._session.stack.ask(self._running[task])
            return self.drafts.get(task)
        if task in self._delayed:
            self._cut(code)
            return None
        if self.judged:
            raise Forgotten
        if self._session.stack.is_full:
            raise Full(lambda: self.summary(code, given))
        self._summarise(task)
        return self.file.summaries.get(task)

    def _summarise(self, task: Task) -> None:
        """Interpret a function: again and again, if it is the outermost one and its callees fill the stack."""
        code, given = task
        self.busy += 1
        before = self.file.environments.get(code)
        stack = self._session.stack
        try:
            while True:
                try:
                    stack.settle(partial(self._interpret, task))
                    break
                except Full as full:
                    if stack.frames:
                        raise
                    self._delayed.add(task)
                    full.settle()
                    self._delayed.discard(task)
        finally:
            self.busy -= 1
            if given and before is not None:
                self.file.environments[code] = before

    def _interpret(self, task: Task, frame: Frame) -> _Draft:
        """Interpret a function once."""
        code, given = task

        def made() -> tuple[Run, Summary]:
            run = interpreter.interpret(self.file, code, dict(given), self._arrays)
            return run, summarise(self.file, run)

        self._running[task] = frame
        try:
            found = contained(self.file, self._session.failures, code, place_of(code), made)
        finally:
            del self._running[task]
        if found is None:
            self.file.summaries[task] = unknown_summary(self.file, code)
        else:
            self.file.runs[task], self.file.summaries[task] = found
        return _Draft(self, task)

    def _cut(self, code: FunctionCode) -> None:
        """Note that the analysis goes on without the summary of a function."""
        name = "" if code.kind == "module" else code.name
        self.file.add(facts.Unfinished(node=code.node, confidence=Confidence.CERTAIN, function=name, circle=DEEPEST))

    def is_final(self, value: Value, given: Specialisation = GENERAL) -> bool:
        """Return whether the summary of a callable is final: it rests on no function still being interpreted."""
        while isinstance(value, Bound | Mapped | Partial):
            value = value.function
        tasks = {(value.code, GENERAL), (value.code, given)} if isinstance(value, Function) else set[Task]()
        return tasks.isdisjoint(self.provisional) and tasks.isdisjoint(self._running)

    def may_specialise(self, code: FunctionCode, given: Specialisation) -> bool:
        """Return whether to interpret a function for these callables, up to a limit of specialisations.

        Raises:
            Forgotten: if the file has been judged, and this is not one of those.
        """
        most = MAX_RECEIVERS if is_receiver(given) else MAX_SPECIALISATIONS
        around = (value.code for slot, value in given if isinstance(slot, tuple) and isinstance(value, Function))
        known = self._specialised.setdefault((most, code, *around), set())
        if given and given not in known and len(known) < most:
            if self.judged:
                raise Forgotten
            known.add(given)
        return given in known

    def signatures(self) -> dict[str, KeySignature]:
        """Return the key signature of each function of the file, by its name in the file."""
        general = {code: summary for (code, given), summary in self.file.summaries.items() if not given}
        found = {code.name: s.signature(self.file.terms) for code, s in general.items() if not code.is_foreign}
        return {name: signature for name, signature in found.items() if name != "<module>"}


@dataclass(slots=True)
class _Draft:
    """The summary of a function after one round."""

    summariser: Summariser
    task: Task

    def place(self) -> tuple[Any, ...]:
        """Return its place in the order of the sources."""
        code, given = self.task
        row, column = getattr(code.node, "lineno", 0), getattr(code.node, "col_offset", 0)
        return (self.summariser.file.document.path, row, column, len(given))

    def settle(self) -> None:
        """Compute the final summary of the function."""
        self.summariser.summary(*self.task)

    def is_settled(self) -> bool:
        """Return whether the function has a summary."""
        return self.task in self.summariser.file.summaries

    def forget(self) -> None:
        """Withdraw it, and all of the rounds before."""
        self.withdraw()
        del self.summariser.drafts[self.task]

    def changed(self) -> bool:
        """Return whether its key signature differs from that of the round before; an empty summary is like none."""
        terms = self.summariser.file.terms
        before, summary = self.summariser.drafts.get(self.task), self.summariser.file.summaries[self.task]
        if before is None or not before.says_something(terms):
            return summary.says_something(terms)
        return summary.signature(terms) != before.signature(terms)

    def hold(self, lowest: int | None) -> None:
        """Record the depth of the outermost unfinished function on which it rests, ``None`` if it is final."""
        if lowest is None:
            self.summariser.provisional.pop(self.task, None)
        else:
            self.summariser.provisional[self.task] = lowest

    def withdraw(self) -> None:
        """Withdraw it; it stays the draft until the next round has another one."""
        self.summariser.drafts[self.task] = self.summariser.file.summaries.pop(self.task)
        self.summariser.file.runs.pop(self.task, None)
