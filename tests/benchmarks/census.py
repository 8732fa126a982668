"""Measure what the linter finds of the bugs that two readers found: see README.md beside this file."""

from __future__ import annotations

import argparse
import ast
import datetime
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from first_look import CACHE, commit, fetch
from packages import HERE, Package
from reading import lint, run_command
from snapshot import Seen

CENSUS = HERE / "census"
NEAR = 1  # rows by which a reader's line may differ from the finding's


@dataclass(frozen=True)
class Record:
    """What the first reader wrote down about one place.

    Attributes:
        file: the path, from the package's folder on.
        line, partner: the second use of the key, and the first one if it is in the file.
        mark: ``bug``, ``meant`` or ``trap``: right code that looks wrong.
        second: the mark of the second reader, who did not know the first one's; ``None`` if that one wrote nothing.
        kind, sentence: what it is.
        half: the first half of the files may be worked on; the second one is opened once, when the work is done.
    """

    file: str
    line: int
    partner: int | None
    mark: str
    second: str | None
    kind: str
    half: int
    sentence: str

    @property
    def package(self) -> str:
        return self.file.partition("/")[0]

    @property
    def is_bug(self) -> bool:
        """Whether both readers call it a bug."""
        return self.mark == self.second == "bug"

    @property
    def is_right(self) -> bool:
        """Whether neither of them does."""
        return "bug" not in (self.mark, self.second)

    def is_told_by(self, finding: Seen, start: int | None = None) -> bool:
        """Return whether a finding, or a place related to it, is at the line, or where its call starts."""
        file = self.file.partition("/")[2]
        places = [(finding.file, finding.row), *finding.related]
        return finding.code.startswith("OLY1") and any(
            name == file and (abs(row - self.line) <= NEAR or row == start) for name, row in places
        )


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return 0 when all is well, 2 on an error."""
    parser = argparse.ArgumentParser(prog="census.py", description=__doc__)
    parser.add_argument("--number", type=int, default=1, help="the census (default: 1)")
    parser.add_argument("--half", type=int, choices=(1, 2), required=True, help="which half of its files")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages lie (%(default)s)")
    parser.add_argument("--names", action="store_true", help="print each bug that is missed, and each alarm")
    parser.add_argument("--close", action="store_true", help="append the row to the table")
    parser.set_defaults(run=run)
    return run_command(parser, arguments)


def run(options: argparse.Namespace) -> int:
    records = [record for record in load(options.number) if record.half == options.half]
    findings = find(options.number, {record.package for record in records}, options.cache)
    told = {}
    for record in records:
        start = start_of_call(options.cache / record.file, record.line)
        told[record] = [each for each in findings[record.package] if record.is_told_by(each, start)]
    bugs = [record for record in records if record.is_bug]
    traps = [record for record in records if record.is_right and record.mark == "trap"]
    meant = [record for record in records if record.is_right and record.mark == "meant"]
    row = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "census": options.number,
        "half": options.half,
        "bugs": len(bugs),
        "found": sum(bool(told[record]) for record in bugs),
        "traps": len(traps),
        "alarms": sum(bool(told[record]) for record in traps),
        "meant": len(meant),
        "meant_told": sum(bool(told[record]) for record in meant),
    }
    print(json.dumps(row))
    for record in records if options.names else ():
        if bool(told[record]) != record.is_bug and record not in meant and (record.is_bug or record in traps):
            print(f"{'missed' if record.is_bug else 'alarm'}: {record.file}:{record.line} {record.sentence}")
    if options.close:
        with (CENSUS / "table.jsonl").open("a", encoding="utf-8") as table:
            table.write(json.dumps(row) + "\n")
    return 0


def start_of_call(path: Path, line: int) -> int | None:
    """Return the row in which the innermost call over a line starts: a reader may name the line of its argument."""
    calls = (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call))
    return max((node.lineno for node in calls if node.lineno <= line <= (node.end_lineno or line)), default=None)


def load(number: int) -> list[Record]:
    """Return the records of a census."""
    lines = (CENSUS / f"{number}.jsonl").read_text("utf-8").splitlines()
    return [Record(**json.loads(line)) for line in lines]


def find(number: int, wanted: set[str], cache: Path) -> dict[str, list[Seen]]:
    """Lint packages of a census with default rules, and return the findings by the packages' folders."""
    packages = [Package(**row) for row in json.loads((CENSUS / f"{number}.json").read_text("utf-8"))["packages"]]
    findings = defaultdict(list)
    for package in packages:
        fetch(package, cache)
        folder = package.folder(cache)
        if folder.name in wanted:
            found, errors = lint(package.name, folder)
            findings[folder.name] = found
            if errors:
                print(errors, file=sys.stderr)
    return findings


if __name__ == "__main__":
    sys.exit(main())
