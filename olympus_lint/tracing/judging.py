"""Verdicts on findings: questions to workers, and their answers."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from olympus.verdicts import Place, Question, Tier, Verdict, too_long
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.processes import default_jobs
from olympus_lint.tracing.combining import CONFIRMS, DECIDED, advised, combined
from olympus_lint.tracing.frameworks import frameworks, imported_frameworks
from olympus_lint.tracing.process import Died, Ended, Late, Refused, Spent, Worker, interpreter
from olympus_rules.finding import Confidence, Finding, Span
from olympus_rules.libraries import libraries
from olympus_rules.rules import all_rules
from olympus_rules.syntax.project import locate

MOST_DEATHS = 3
"""Deaths of workers after which a file is given up: a file whose import ends a process does so each time."""

ONCE = ("", "arguments", "call")
"""How one place uses a key twice, or may do so, without a loop in its function."""

WORTH_A_SECOND = 60  # questions; with fewer, a second worker takes longer to start than it saves


@dataclass(frozen=True, slots=True)
class Choice:
    """The options for tracing.

    Attributes:
        python: the interpreter of the workers.
        device: the value of ``JAX_PLATFORMS``.
        tiers: the tiers, in order.
        seconds: the time limit for one function, in addition to the limits on its steps.
        importing: the seconds for the import of one file.
        grace: the seconds after the time limit until a worker is killed.
        base, each: the seconds for the whole run: a constant, and an amount for each question.
        start: starts a worker; replaced in tests.
    """

    python: str = field(default_factory=lambda: sys.executable)
    device: str = "cpu"
    tiers: Sequence[Tier] = ("witness",)
    seconds: float = 120.0
    importing: float = 30.0
    grace: float = 5.0
    base: float = 600.0
    each: float = 10.0
    start: Any = Worker

    def worker(self) -> Worker:
        """Start a worker.

        Raises:
            Refused: the interpreter cannot be used.
        """
        made: Worker = self.start(self.python, self.device)
        return made


@dataclass(slots=True)
class Traced:
    """Statistics of the tracing.

    Attributes:
        questions: the number of findings with a question.
        refused: why the interpreter cannot be used, if there are no verdicts.
        deaths: the number of dead workers by cause.
        failed: why files could not be imported.
        peak_kib: the largest memory use of a worker.
        about: the versions that the workers report.
    """

    questions: int = 0
    refused: Refused | None = None
    deaths: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    peak_kib: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Task:
    """The open questions about one file.

    Attributes:
        request: the request without the questions.
        questions: the questions by their number.
        deaths: the number of workers that died on this file.
    """

    request: Mapping[str, Any]
    questions: dict[int, Question]
    deaths: int = 0


def judge(files: Sequence[FileResult], settings: Mapping[str, Settings], choice: Choice) -> Traced:
    """Give a verdict to each finding that can be traced.

    Args:
        files: the results of the check.
        settings: those of each file.
        choice: the options for tracing.

    Returns:
        The statistics. The findings in the results have their verdicts, unless the interpreter was refused.
    """
    where: list[tuple[FileResult, int]] = []
    asked: list[Asked] = []
    for file in files:
        known = imported_frameworks(file.text) if file.findings else ()
        tiers: tuple[Tier, ...] = (*choice.tiers, "framework") if known else tuple(choice.tiers)
        judged = [n for n, each in enumerate(file.findings) if any(is_judged(each, tier) for tier in tiers)]
        numbered = {len(where) + n: file.findings[place] for n, place in enumerate(judged)}
        asked.append(Asked(file, settings[file.filename], known, numbered))
        where += [(file, place) for place in judged]
    traced = Traced(len(where))
    if not where:
        try:
            interpreter(choice.python)
        except Refused as refused:
            traced.refused = refused
        return traced
    given = asked_of(tasks(asked, choice.tiers, choice), choice, traced)
    if traced.refused is not None:
        return traced
    for number, verdicts in asked_of(later(asked, given, choice, traced), choice, traced).items():
        given.setdefault(number, []).extend(verdicts)
    traced.refused = None  # the first worker was good enough
    for number, (file, place) in enumerate(where):
        file.findings[place] = replace(file.findings[place], verdict=shown(combined(given.get(number, ()))))
    return traced


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about a file.

    Attributes:
        file: the result of its check.
        settings: its settings.
        frameworks: the frameworks that it imports.
        findings: the findings by their number.
    """

    file: FileResult
    settings: Settings
    frameworks: Sequence[str]
    findings: Mapping[int, Finding]


def tasks(asked: Iterable[Asked], tiers: Iterable[Tier], choice: Choice) -> Iterator[Task]:
    """Return the questions of some tiers about each file."""
    for tier in tiers:
        for each in asked:
            questions = {number: question(one) for number, one in each.findings.items() if is_judged(one, tier)}
            if questions:
                asking = request(each.file, tier, each.settings, choice)
                yield Task({**asking, "frameworks": each.frameworks, "known": sorted(frameworks())}, questions)


def later(
    asked: Iterable[Asked], given: Mapping[int, Sequence[Verdict]], choice: Choice, traced: Traced
) -> Iterator[Task]:
    """Return what is asked of frameworks: what other tiers have left open, unless the real module was imported."""
    decided = {number for number, verdicts in given.items() if any(each.status in DECIDED for each in verdicts)}
    for each in asked:
        if each.frameworks and ("function" not in choice.tiers or absolute(each.file) in traced.failed):
            left = {number: one for number, one in each.findings.items() if number not in decided}
            yield from tasks([replace(each, findings=left)], ["framework"], choice)


def asked_of(tasks: Iterable[Task], choice: Choice, traced: Traced) -> dict[int, list[Verdict]]:
    """Return the verdicts on the questions of tasks; without a task, no worker starts."""
    waiting = deque(tasks)
    return Dispatch(waiting, choice, traced).verdicts() if waiting else {}


def shown(verdict: Verdict | None) -> Verdict | None:
    """Return a verdict with paths relative to the current folder, which is not that of the workers."""
    here = f"{Path.cwd()}{os.sep}"
    if verdict is None:
        return None
    reason = verdict.reason and verdict.reason.replace(here, "")
    return replace(verdict, reason=reason, evidence=tuple(line.replace(here, "") for line in verdict.evidence))


def is_judged(finding: Finding, tier: Tier = "witness") -> bool:
    """Say whether a trace of this tier can decide a finding."""
    rule = all_rules()[finding.code]
    return (bool(rule.events) or (rule.is_executed and tier != "witness")) and finding.cell is None


def question(finding: Finding) -> Question:
    """Return the question about a finding."""
    other = None
    rule = all_rules()[finding.code]
    if (rule.has_two_places or rule.is_executed) and finding.other is not None:
        other = place_of(finding.other.filename, finding.other.span)
    certain = finding.confidence is Confidence.CERTAIN
    own = place_of(finding.filename, finding.span)
    if other is not None and finding.other is not None and finding.other.later:
        own, other = other, own
    how = finding.lineage[-1].how if finding.lineage else ""
    return Question(finding.code, own, other, certain, repeats=other is None and how not in ONCE)


def place_of(filename: str, span: Span) -> Place:
    """Return a place with the absolute path of its file."""
    path = str(Path(filename).absolute())
    return Place(path, span.start.row, span.start.column, span.end.row, span.end.column)


def absolute(file: FileResult) -> str:
    """Return the path of a file, as requests have it."""
    return str(Path(file.filename).absolute())


def request(file: FileResult, tier: Tier, settings: Settings, choice: Choice) -> dict[str, Any]:
    """Return the request about a file, without questions."""
    path = Path(absolute(file))
    location, table = locate(path), libraries(tuple(settings.signature_packs))
    return {
        "op": tier,
        "file": str(path),
        "text": file.text,
        "module": location.module or path.stem,
        "roots": list(settings.library_roots),
        "folders": [str(folder) for folder in location.roots],
        "documented": table.documented(file.text),
        "packages": sorted(table.packages),
        "seconds": choice.seconds,
        "importing": choice.importing,
        "hints": settings.trace,
    }


class Dispatch:
    """Gives tasks to workers, and collects their verdicts."""

    def __init__(self, tasks: deque[Task], choice: Choice, traced: Traced) -> None:
        """Take the tasks, and the statistics to update."""
        self.choice, self.traced = choice, traced
        self.open = tasks
        self.given: dict[int, list[Verdict]] = {}
        self.workers: list[Worker] = []
        self.lock = threading.Lock()
        total = choice.base + choice.each * sum(len(task.questions) for task in tasks)
        self.end = time.monotonic() + total
        self.over = f"the time for all findings, {total:.0f} s, is over"

    def verdicts(self) -> dict[int, list[Verdict]]:
        """Return the verdicts on each question, one from each tier."""
        asked = sum(len(task.questions) for task in self.open)
        threads: list[threading.Thread] = []
        late = False
        try:
            first = self.started()
            self.traced.about = first.about
            if asked >= WORTH_A_SECOND and len(self.open) > 1 and default_jobs() > 1:
                threads.append(threading.Thread(target=self.work, daemon=True))
                threads[0].start()
            self.work(first)
            for thread in threads:
                thread.join()
        except Refused as refused:
            self.traced.refused = refused
        finally:
            late, self.end = time.monotonic() >= self.end, 0.0  # ends the threads that still run
            for worker in self.workers:
                worker.kill()
        for task in self.open:
            self.give_up(task, task.questions, self.over if late else "no worker can be started any more")
        return self.given

    def started(self) -> Worker:
        """Start a worker, which is killed at the end."""
        worker = self.choice.worker()
        with self.lock:
            self.workers.append(worker)
        return worker

    def work(self, worker: Worker | None = None) -> None:
        """Take tasks until none are left, and replace a worker that dies."""
        while True:
            with self.lock:
                if not self.open or time.monotonic() > self.end:
                    return
                if worker is not None:
                    task = self.open.popleft()
            if worker is None:
                try:
                    worker = self.started()
                except Refused as refused:
                    with self.lock:
                        self.traced.deaths[f"while it started: {refused}"] += 1
                    return
                continue
            cause: Exception | None = None
            try:
                self.ask(worker, task)
            except (Died, Spent) as error:
                cause = error
            with self.lock:
                if isinstance(cause, Died):
                    self.traced.deaths[str(cause)] += 1
                if task.questions:
                    self.open.appendleft(task)
            if cause is not None and not isinstance(cause, Ended):
                worker.kill()
                worker = None

    def ask(self, worker: Worker, task: Task) -> None:
        """Ask the questions of a task; answered questions, and one that killed the worker, are removed from it.

        Raises:
            Died: the worker has died, or its process for the file.
            Spent: the worker cannot answer any more.
        """
        numbers = list(task.questions)
        begun: list[int] | None = None  # the question that the worker has announced
        doing, seconds = "", self.choice.seconds
        try:
            worker.send({"id": 1, **task.request, "questions": [task.questions[n].to_json() for n in numbers]})
            while True:
                left = max(0.0, self.end - time.monotonic())
                answer = worker.receive(min(seconds + self.choice.grace, left))
                if "begin" in answer:
                    begun = [numbers[index] for index in answer["begin"]]
                    doing, seconds = answer.get("doing", ""), answer.get("seconds", self.choice.seconds)
                elif "spent" in answer:
                    raise Spent
                elif "verdicts" in answer:
                    for index, verdict in answer["verdicts"]:
                        told = Verdict.from_json(verdict)
                        is_last = "failed" in answer or told.tier == CONFIRMS
                        self.give(task, numbers[index], told if is_last else advised(told, self.choice.tiers))
                    begun = []
                    if "failed" in answer:
                        self.failed(task, answer["failed"])
                else:
                    self.traced.peak_kib = max(self.traced.peak_kib, answer["peak_kib"] or 0)
                    if "ended" in answer and task.questions:
                        raise Ended(answer["ended"])
                    break
        except (Died, LookupError, TypeError, ValueError) as error:
            died = error if isinstance(error, Died) else Died("an answer that makes no sense")
            late = time.monotonic() >= self.end
            task.deaths += 1
            if late:
                self.give_up(task, numbers, self.over)
            elif begun is not None or task.deaths > 1:  # an earlier question may have caused the first death
                why = died_of(died, doing, seconds)
                self.give_up(task, numbers if begun is None else begun, why)
                if doing:
                    self.failed(task, why)
            if task.deaths == MOST_DEATHS:
                self.give_up(task, numbers, f"{MOST_DEATHS} workers died of other findings in this file")
            raise died from None
        self.give_up(task, list(task.questions), "the worker gave no answer")

    def give(self, task: Task, number: int, verdict: Verdict) -> None:
        """Record the verdict on a question."""
        with self.lock:
            if task.questions.pop(number, None) is not None:
                self.given.setdefault(number, []).append(verdict)

    def failed(self, task: Task, why: str) -> None:
        """Record that a file could not be imported, unless it was not to be."""
        if task.request["op"] == "function":
            self.traced.failed[task.request["file"]] = why

    def give_up(self, task: Task, numbers: Iterable[int], why: str) -> None:
        """Record that questions have no answer."""
        tier: Tier = task.request["op"]
        for number in list(numbers):
            self.give(task, number, Verdict("not reached", tier, why))


def died_of(died: Died, doing: str, seconds: float) -> str:
    """Return why a question has no answer: what the worker has died of.

    Args:
        died: how.
        doing: what it said that it was doing for all questions about a file; empty for a question.
        seconds: the time that it had for that.
    """
    if isinstance(died, Late):
        return f"{doing or 'it'} {too_long(seconds)}"
    return f"{doing} ended its process: {died}" if doing else f"the worker died of it: {died}"
