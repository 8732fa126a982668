"""The account of a trial: a section of the report on the migration."""

from __future__ import annotations

from collections.abc import Sequence

from olympus_lint.files.problems import printable
from olympus_lint.migration.section import Item, Section
from olympus_lint.proof.blame import Spot, at
from olympus_lint.proof.outcomes import COMMAND, Outcomes, Row
from olympus_lint.proof.trial import Compared, Failure, Proof
from olympus_lint.reporting.phrases import count

TITLE = "Checked with the tests"
MOST_PLACES = 5
STATUSES = ("passed", "failed", "error", "crashed", "not collected", "skipped", "xfailed")
WHEN = {"after": "After the migration", "typed": "With JAX_ENABLE_CUSTOM_PRNG=1"}


def account(proof: Proof) -> Section:
    """Return what a trial has shown; a test that fails in two runs is listed once."""
    runs = {"after": proof.after, "typed": proof.typed}
    said = [f"Command: `{proof.command}`", f"Before: {numbers(proof.before)} ({proof.seconds:.0f} s)."]
    said += [summary(WHEN[name], run) for name, run in runs.items() if run is not None]
    if proof.after is None:
        said.append("The migration changes nothing, so that the tests ran only before and with typed keys.")
    said += [f"Withheld: {each}." for each in proof.withheld]
    if proof.unseen:
        names = ", ".join(proof.unseen)
        said.append(
            f"No test has imported {count(len(proof.unseen), 'changed file')}, of which nothing is shown: {names}."
        )
    said += proof.notes
    if proof.stops and proof.repairs:
        said.append(
            "Nothing is written: tests fail after the migration, and withholding what they execute does not help."
        )
    elif proof.stops:
        said.append("With --fix, what makes these tests fail stays as it is.")
    shown = set[str]()
    items = []
    for name, run in runs.items():
        new = [] if run is None else [each for each in run.failures if each.change.test.name not in shown]
        items += [Item(f"{WHEN[name]}, {headline(failure)}", below=[*map(Item, below(failure))]) for failure in new]
        shown |= {each.change.test.name for each in new}
    return Section(TITLE, items, said, data=as_data(proof, runs))


def numbers(outcomes: Outcomes) -> str:
    """Return the numbers of tests by status."""
    if set(outcomes.tests) == {COMMAND}:
        return f"the command {outcomes.tests[COMMAND].status}"
    return ", ".join(f"{number} {status}" for status in STATUSES if (number := outcomes.number(status))) or "no tests"


def summary(when: str, run: Compared) -> str:
    """Return the sentence on one run."""
    new = count(len(run.failures), "new failure") if run.failures else "no new failure"
    unsteady = (
        f"; passed when they ran again: {', '.join(f'`{clean(name)}`' for name in run.unsteady)}"
        if run.unsteady
        else ""
    )
    return f"{when}: {numbers(run.outcomes)}; {new} ({run.seconds:.0f} s){unsteady}."


def headline(failure: Failure) -> str:
    """Return the test, and what happened to it."""
    test = failure.change.test
    before = f", {failure.change.before} before" if failure.change.before else ""
    also = f", so that {count(failure.change.also, 'test')} did not run" if failure.change.also else ""
    return f"`{clean(test.name)}` {test.status}{before}{also}"


def below(failure: Failure) -> list[str]:
    """Return the error of a failure, where it was raised, and the places of the report that it executes."""
    test = failure.change.test
    lines = [f"`{clean(test.message)}`"] if test.message else []
    if test.frames:
        file, row = test.frames[-1]
        lines.append(f"raised at {file}:{row}")
    shown = [str(spot) for spot in failure.places[:MOST_PLACES]]
    more = len(failure.places) - len(shown)
    if shown:
        lines.append(f"executes {', '.join(shown)}{f' and {more} more' if more else ''}")
    if not failure.is_announced:
        lines.append("no place that is left in the report explains it")
    return lines


def clean(text: str) -> str:
    """Return text without control characters, and without backquotes, which stand around code."""
    return printable(text).replace("`", "'")


def as_data(proof: Proof, runs: dict[str, Compared | None]) -> dict[str, object]:
    """Return a trial as data for JSON."""
    return {
        "command": proof.command,
        "before": {"tests": tests_of(proof.before), "seconds": round(proof.seconds, 3)},
        **{name: run if run is None else compared(run) for name, run in runs.items()},
        "withheld": proof.withheld,
        "not_imported": proof.unseen,
        "notes": proof.notes,
    }


def tests_of(outcomes: Outcomes) -> dict[str, str]:
    """Return the status of each test."""
    return {name: test.status for name, test in outcomes.tests.items()}


def compared(run: Compared) -> dict[str, object]:
    """Return one run as data for JSON."""
    return {
        "tests": tests_of(run.outcomes),
        "seconds": round(run.seconds, 3),
        "new_failures": [failure_as_data(each) for each in run.failures],
        "passed_again": list(run.unsteady),
    }


def failure_as_data(failure: Failure) -> dict[str, object]:
    """Return a failure as data for JSON."""
    test = failure.change.test
    return {
        "test": test.name,
        "before": failure.change.before or None,
        "status": test.status,
        "message": test.message,
        "also": failure.change.also,
        "traceback": [{"filename": file, "row": row} for file, row in test.frames],
        "places": [place(spot, test.frames) for spot in failure.places],
        "announced": failure.is_announced,
    }


def place(spot: Spot, frames: Sequence[Row]) -> dict[str, object]:
    """Return a place of the report as data for JSON."""
    return {
        "filename": spot.filename,
        "row": spot.row,
        "name": spot.name,
        "kind": spot.kind,
        "in_traceback": bool(at([spot], frames)),
    }
