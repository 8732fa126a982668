"""The outcomes of tests, and what has changed between two runs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from olympus_lint.proof.commands import Ran

Row: TypeAlias = tuple[str, int]
"""A file, relative to the root of the tree, and a row."""
COMMAND = "the command"
"""The name of what is compared where there are no tests: the exit status."""
FAILS = frozenset({"failed", "error", "crashed", "not collected"})
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
TRACED = re.compile(r"""File "([^"\n]+)", line (\d+)|^([^\s:"']+\.py):(\d+):""", re.MULTILINE)
"""A row of a traceback as Python and pytest print it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test of one run.

    Attributes:
        name: its node, with the path relative to the root of the tree.
        status: ``passed``, ``skipped``, ``xfailed``, ``failed``, ``error`` (in a fixture), ``crashed`` or
            ``not collected``.
        message: the type and first line of its error.
        frames: the rows of its traceback in files of the tree, innermost last.
        executed: the watched rows that it has executed.
    """

    name: str
    status: str
    message: str = ""
    frames: tuple[Row, ...] = ()
    executed: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of one run.

    Attributes:
        tests: the tests by name, in order.
        has_pytest: whether the command has started pytest.
        running: the tests that had not ended.
        copied: the files that the tests imported from the copy.
        original: the modules that they imported from the user's tree, by file.
        shared: the watched rows that were executed outside of tests, such as at import.
    """

    tests: Mapping[str, Outcome]
    has_pytest: bool
    running: tuple[str, ...] = ()
    copied: frozenset[str] = frozenset()
    original: Mapping[str, str] = field(default_factory=dict)
    shared: tuple[Row, ...] = ()

    def number(self, *statuses: str) -> int:
        """Return how many tests have one of some statuses."""
        return sum(test.status in statuses for test in self.tests.values())


@dataclass(frozen=True, slots=True)
class Change:
    """A test that no longer passes.

    Attributes:
        test: the test after the change.
        before: its status before.
        also: the number of tests that could not run for the same reason.
    """

    test: Outcome
    before: str
    also: int = 0


def outcomes_of(ran: Ran) -> Outcomes:
    """Return the outcomes of a run; a run without pytest is one test, whose status is that of the command."""
    tests: dict[str, Outcome] = {}
    ended: set[str] = set()
    executed: defaultdict[str, dict[Row, None]] = defaultdict(dict)
    copied, original = set[str](), dict[str, str]()
    for record in ran.records:
        read: Any = record
        match read["event"]:
            case "begin" if read["id"] not in tests:
                tests[read["id"]] = Outcome(read["id"], "crashed", "the process ended")
            case "phase":
                tests[read["id"]] = after_phase(tests.get(read["id"]), read)
            case "end":
                ended.add(read["id"])
            case "collect":
                frames = tuple((file, row) for file, row in read.get("frames", ()))
                tests[read["id"]] = Outcome(read["id"], "not collected", read.get("message", ""), frames)
            case "line":
                executed[read["id"]][read["file"], read["row"]] = None
            case "modules":
                copied |= set(read["copied"])
                original |= dict(read["original"])
    has_pytest = any(record["event"] == "pytest" for record in ran.records)
    tests = {name: replace(test, executed=tuple(executed[name])) for name, test in tests.items()}
    running = tuple(name for name, test in tests.items() if name not in ended and test.status != "not collected")
    failed = any(test.status in FAILS for test in tests.values())
    if not tests or (ran.status and not failed):
        status = f"exit status {ran.status}" if ran.status >= 0 else f"signal {-ran.status}"
        said = ran.output.strip().splitlines()
        message = status if not said else f"{status}: {said[-1][:200]}"
        tests[COMMAND] = Outcome(COMMAND, "failed" if ran.status else "passed", message, printed_rows(ran))
    shared = {row: None for name, rows in executed.items() if name not in tests for row in rows}
    return Outcomes(tests, has_pytest, running, frozenset(copied), original, tuple(shared))


def after_phase(test: Outcome | None, read: Mapping[str, Any]) -> Outcome:
    """Return a test after one of its phases: setup, call or teardown."""
    name, phase, outcome = read["id"], read["phase"], read["outcome"]
    frames = tuple((file, row) for file, row in read.get("frames", ()))
    if outcome == "failed":
        if test is not None and test.status == "failed" and phase == "teardown":
            return test
        return Outcome(name, "failed" if phase == "call" else "error", read.get("message", ""), frames)
    if outcome == "skipped":
        return Outcome(name, "xfailed" if read.get("xfail") else "skipped")
    if phase == "setup":
        return Outcome(name, "crashed", "the process ended")  # until the next phase
    if phase == "call" or test is None:
        return Outcome(name, "passed")
    return test


def printed_rows(ran: Ran) -> tuple[Row, ...]:
    """Return the rows of files of the copy in tracebacks that a command has printed."""
    found: dict[Row, None] = {}
    for match in TRACED.finditer(ran.output):
        file, row = match[1] or match[3], int(match[2] or match[4])
        name = file.removeprefix(f"{ran.copy}/").removeprefix("./")
        if not name.startswith("/"):
            found[name, row] = None
    return tuple(found)


def changes(before: Outcomes, after: Outcomes) -> list[Change]:
    """Return the tests that passed before and do not pass afterwards, in the order of the first run.

    A test that fails before is not counted. Tests that could not run, since their file is not collected, an earlier
    test has ended the process, or the command has failed, are counted with the cause.
    """
    names = renamed(before.tests, after.tests)
    new = [test for name, test in after.tests.items() if name not in before.tests or is_worse(before.tests[name], test)]
    files = [test.name for test in new if test.status == "not collected"]
    ends = [test.name for test in new if test.status == "crashed" or (test.name == COMMAND and test.status in FAILS)]
    last = ends[-1] if ends else ""
    found: list[Change] = []
    missing: defaultdict[str, int] = defaultdict(int)
    for name, test in before.tests.items():
        now = after.tests.get(names.get(name, name))
        passed = test.status == "passed"
        if now is None and passed and name != COMMAND:
            cause = next((each for each in files if name.startswith(each)), last)
            missing[cause] += 1
            found += [] if cause else [Change(Outcome(name, "missing", "it did not run"), test.status)]
        elif now is not None and ((passed and now.status != "passed") or is_worse(test, now)):
            found.append(Change(now, test.status))
    uncollected = {test.name for test in before.tests.values() if test.status == "not collected"}
    for name, test in after.tests.items():
        known = name in before.tests or name in names.values() or any(name.startswith(each) for each in uncollected)
        if test.status in FAILS and not known:
            found.append(Change(test, ""))
    return [replace(change, also=missing[change.test.name]) for change in found]


def is_worse(before: Outcome, after: Outcome) -> bool:
    """Say whether a test fails that did not."""
    return after.status in FAILS and before.status not in FAILS


def renamed(before: Iterable[str], after: Iterable[str]) -> dict[str, str]:
    """Return the new names of tests whose parameters are spelled differently, such as a key or an address.

    The parameters of one test are matched in their order.
    """
    old, new = by_function(before), by_function(after)
    found: dict[str, str] = {}
    for function, names in old.items():
        others = new.get(function, [])
        gone, come = [n for n in names if n not in others], [n for n in others if n not in names]
        if gone and len(gone) == len(come):
            found.update(zip(gone, come, strict=True))
        else:
            spelled = {ADDRESS.sub("0x", name): name for name in come}
            found.update((name, spelled[key]) for name in gone if (key := ADDRESS.sub("0x", name)) in spelled)
    return found


def by_function(names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return names of tests with parameters by the function."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if "[" in name:
            found[name.partition("[")[0]].append(name)
    return found
