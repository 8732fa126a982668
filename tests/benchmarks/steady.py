"""Verdicts that stay: ``python tests/benchmarks/steady.py [--cache FOLDER] PACKAGE…``.

Lints each package of the corpus with ``--trace`` twice: once on a machine that is idle but for that, and once while a
process keeps each core busy. Exit status 1 if the two reports are not equal to the byte.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packages import DEFAULT_CACHE, load_packages


def spin() -> None:
    """Keep a core busy."""
    while True:
        pass


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep that many cores busy."""
    own = [multiprocessing.Process(target=spin, daemon=True) for _ in range(processes)]
    for each in own:
        each.start()
    try:
        yield
    finally:
        for each in own:
            each.kill()


def traced(folder: Path) -> bytes:
    """Return the report on a package."""
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
    done = subprocess.run([*command, "--output-format", "json", "."], cwd=folder, capture_output=True)
    sys.stderr.buffer.write(done.stderr)
    return done.stdout


def verdicts(report: bytes) -> dict[tuple[str, int, int, str], dict]:
    """Return the verdicts of a report by their findings."""
    return {
        (found["filename"], found["location"]["row"], found["location"]["column"], found["code"]): found["verdict"]
        for found in json.loads(report)
        if found["verdict"]
    }


def main() -> int:
    """Measure, print what differs, and say whether something does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("packages", nargs="+")
    options = parser.parse_args()
    unequal = 0
    for package in load_packages(options.packages):
        folder = package.folder(options.cache.expanduser())
        times, reports = [], []
        for processes in (0, os.cpu_count() or 1):
            with load(processes):
                started = time.perf_counter()
                reports.append(traced(folder))
                times.append(f"{time.perf_counter() - started:.0f} s")
        idle, busy = map(verdicts, reports)
        counts = Counter(verdict["status"] for verdict in idle.values())
        print(package.name, dict(sorted(counts.items())), "idle and busy:", *times, flush=True)
        if reports[0] != reports[1]:
            unequal += 1
            print("  NOT EQUAL")
            for place in idle.keys() | busy.keys():
                if idle.get(place) != busy.get(place):
                    print("  ", *place, idle.get(place), busy.get(place), sep="\n    ")
    print(f"{len(options.packages) - unequal} of {len(options.packages)} packages with equal reports")
    return int(bool(unequal))


if __name__ == "__main__":
    sys.exit(main())
