"""Verdicts on the pinned corpus: ``python tests/benchmarks/verdicts.py [--cache FOLDER] [PACKAGE…]``.

Lints each package with ``--trace`` and compares the verdicts with the reviews in ``snapshot.jsonl``. Exit status 1 if
a finding that a person has marked as true is refuted, or one that is a false alarm is confirmed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from packages import DEFAULT_CACHE, HERE, load_packages

JUDGED = ("OLY101", "OLY102", "OLY103", "OLY104", "OLY108")


def traced(folder: Path) -> list[dict]:
    """Return the findings in a package that get a verdict."""
    command = [
        sys.executable,
        "-m",
        "olympus_lint",
        "--trace",
        "--no-cache",
        "--no-respect-gitignore",
        "--tests",
        "all",
    ]
    done = subprocess.run([*command, "--output-format", "json", "."], cwd=folder, capture_output=True, text=True)
    print(done.stderr, end="", file=sys.stderr)
    return [finding for finding in json.loads(done.stdout) if finding["code"] in JUDGED]


def main() -> int:
    """Measure, print a table, and say whether a verdict contradicts a review."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("packages", nargs="*")
    options = parser.parse_args()
    rows = map(json.loads, (HERE / "snapshot.jsonl").read_text("utf-8").splitlines())
    marks = {(row["package"], row["file"], row["row"], row["code"]): row["mark"] for row in rows}
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    started = time.perf_counter()
    for package in load_packages(options.packages):
        for finding in traced(package.folder(options.cache.expanduser())):
            place = (package.name, finding["filename"], finding["location"]["row"], finding["code"])
            mark = marks.get(place, "no review")
            status = finding["verdict"]["status"] if finding["verdict"] else "none"
            counts[mark, status] += 1
            if (mark, status) in {("true", "refuted"), ("false-alarm", "confirmed")}:
                wrong.append((*place, mark, status, finding["verdict"]["reason"]))
    for (mark, status), number in sorted(counts.items()):
        print(f"{mark:12} {status:14} {number}")
    decided = sum(number for (_, status), number in counts.items() if status in ("confirmed", "refuted"))
    total = max(sum(counts.values()), 1)
    print(f"{decided} of {total} decided ({decided / total:.0%}) in {time.perf_counter() - started:.0f} s")
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
