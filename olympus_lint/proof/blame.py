"""The places of the report that a failing test executes: what it may fail by, and what can be withheld for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from olympus_lint.migration.constructors import Constructor
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.rewriting import CONSTRUCTOR
from olympus_lint.migration.text import Text
from olympus_lint.proof.outcomes import Change, Outcomes, Row

KINDS = ("rewritten", "renamed", "left", "held back", "to check")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of the report in the migrated text.

    Attributes:
        filename: its file, as the user gave it.
        file: its file, relative to the root of the tree.
        rows: its rows in the migrated text, from 1.
        kind: one of ``KINDS``.
        name: its code, or the spelling of a constructor.
        row: its row in the report.
        number: the number of a constructor in its file.
    """

    filename: str
    file: str
    rows: range
    kind: str
    name: str
    row: int
    number: int = -1

    def __str__(self) -> str:
        """Return the place, its name and its kind."""
        return f"{self.filename}:{self.row} {self.name} ({self.kind})"


def spots_of(migration: Migration, path_of: Callable[[str], str]) -> list[Spot]:
    """Return the places of the report in files of Python.

    Args:
        migration: the migration, whose constructors are renamed.
        path_of: returns the path of a file relative to the root of the tree.
    """
    found: list[Spot] = []
    for text in migration.texts:
        if text.settings.kind_of(text.filename) == "python" and concerns(text, migration):
            found += spots_in(text, migration, path_of(text.filename))
    return found


def concerns(text: Text, migration: Migration) -> bool:
    """Say whether the report has places in a file."""
    has_places = bool(migration.left.get(text.filename) or migration.constructors.get(text.filename))
    return has_places or text.new != text.old or bool(rows_to_check(text, migration))


def spots_in(text: Text, migration: Migration, file: str) -> Iterator[Spot]:
    """Yield the places of the report in one file."""
    old, new = text.before.splitlines(), text.after.splitlines()
    ready = text.ready.splitlines() if text.ready else new
    after = Rows(ready, new)
    renamed = migration.renamed.get(text.filename, ())
    for number, each in enumerate(migration.constructors.get(text.filename, ())):
        kind = "renamed" if number < len(renamed) and renamed[number] else "held back"
        rows = after.of(range(each.row, each.row + 1))
        yield Spot(text.filename, file, rows, kind, short(each), each.row, number)
    for report in migration.left.get(text.filename, ()):
        span = report.finding.span
        rows = after.of(range(span.start.row, span.end.row + 1))
        yield Spot(text.filename, file, rows, "left", report.finding.code, span.start.row)
    for row in rows_to_check(text, migration):
        yield Spot(text.filename, file, after.of(range(row, row + 1)), "to check", "which a key may get to", row)
    done: list[tuple[int, str]] = sorted(
        (each.report.finding.span.start.row, each.report.finding.code)
        for each in text.rewritten
        if each.report.finding.code != CONSTRUCTOR
    )
    for before, now in hunks(old, ready):
        here = [(row, code) for row, code in done if row in before or row in now]
        if here or not all_imports(ready[now.start - 1 : now.stop - 1]):
            codes = ", ".join(sorted({code for _, code in here})) or "the rewritten lines"
            yield Spot(text.filename, file, after.of(now), "rewritten", codes, here[0][0] if here else now.start)


def rows_to_check(text: Text, migration: Migration) -> list[int]:
    """Return the rows of a file that the report asks to check."""
    reasons = (reason for each in migration.doubtful for reason in each.checks)
    return sorted({reason.line.row for reason in reasons if reason.line.filename == text.filename})


def short(constructor: Constructor) -> str:
    """Return the spelling of a constructor, as code."""
    return f"`{constructor.spelled}`"


def all_imports(lines: Iterable[str]) -> bool:
    """Say whether lines are imports."""
    return all(line.startswith(("import ", "from ")) or not line.strip() for line in lines)


def hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[range, range]]:
    """Yield the rows of two texts that differ, from 1."""
    for what, *bounds in SequenceMatcher(None, old, new).get_opcodes():
        if what != "equal":
            a, b, c, d = (bound + 1 for bound in bounds)
            yield range(a, b), range(c, d)


class Rows:
    """The rows of a text in a later one."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        """Take the lines of both."""
        self._known: dict[int, range] = {}
        for _, *bounds in SequenceMatcher(None, old, new).get_opcodes():
            a, b, c, d = (bound + 1 for bound in bounds)
            same = b - a == d - c
            for row in range(a, b):
                self._known[row] = range(c + row - a, c + row - a + 1) if same else range(c, d)

    def of(self, rows: range) -> range:
        """Return the rows that some rows have become."""
        now = [each for row in rows for each in self._known.get(row, ())]
        return range(min(now), max(now) + 1) if now else range(0)


def at(spots: Iterable[Spot], rows: Iterable[Row]) -> list[Spot]:
    """Return the places that have one of some rows."""
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for file, row in rows:
        wanted[file].add(row)
    return [spot for spot in spots if not wanted[spot.file].isdisjoint(spot.rows)]


def places_of(change: Change, spots: Sequence[Spot]) -> list[Spot]:
    """Return the places of the report that a test may fail by: first those in its traceback, then those it executed.

    Held-back constructors count only in a run where JAX makes typed keys of them, so the caller gives the places that
    count.
    """
    traced = at(spots, change.test.frames)
    return list(dict.fromkeys([*traced, *at(spots, change.test.executed)]))


def culprits(change: Change, outcomes: Outcomes, spots: Sequence[Spot]) -> Iterator[list[Spot]]:
    """Yield what can be withheld so that a test passes again, from the likeliest to the widest choice.

    Args:
        change: the test.
        outcomes: those of the run in which the executed places were recorded.
        spots: the places of the report.
    """
    test = change.test
    renamed = [spot for spot in spots if spot.kind == "renamed"]
    done = [spot for spot in spots if spot.kind in ("renamed", "rewritten")]
    in_files: Mapping[str, list[Spot]] = {
        file: [spot for spot in done if spot.file == file] for file in {spot.file for spot in done}
    }
    yield [spot for spot in at(done, test.frames[-1:]) if spot.kind == "rewritten"]
    yield at(renamed, test.executed)
    yield at(done, [*test.executed, *test.frames])
    yield at(done, outcomes.shared)  # at import, or in a fixture that another test has set up
    yield at(done, [row for other in outcomes.tests.values() for row in other.executed])
    yield [spot for file in dict.fromkeys(file for file, _ in test.frames) for spot in in_files.get(file, ())]
    yield in_files.get(test.name.partition("::")[0], [])
