"""Reasons that hold back constructors, drawn by a seed, for a person to read and judge.

Usage: ``python tests/benchmarks/reasons.py --seed N [--number 40] [--each 3] [--jobs N] FOLDER ...``

The folders hold released packages. They are migrated in memory in an order drawn by the seed, and some reasons are
drawn of each, until there are enough. Each is printed with the lines of its constructor, its path and its place.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 180
"""Seconds for one package."""


def report_of(package: Path) -> dict[str, Any] | None:
    """Return the report on a package; ``None`` if it takes too long."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    options = ["--no-cache", "--no-respect-gitignore", "--migrate", "--output-format", "json", "."]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "olympus_lint", *options],
            cwd=package,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    return report


def reports_of(packages: Iterable[Path], jobs: int) -> Iterator[tuple[Path, dict[str, Any] | None]]:
    """Yield each package with its report, in order; up to ``jobs`` reports are made at once."""
    with ThreadPoolExecutor(jobs) as pool:
        ahead: deque[tuple[Path, Future[dict[str, Any] | None]]] = deque()
        for package in packages:
            ahead.append((package, pool.submit(report_of, package)))
            if len(ahead) == jobs:
                first, report = ahead.popleft()
                yield first, report.result()
        for package, report in ahead:
            yield package, report.result()


def uses_raw_keys(package: Path) -> bool:
    """Return whether a Python file of a package names ``PRNGKey``."""
    return any(b"PRNGKey" in path.read_bytes() for path in package.rglob("*.py") if path.is_file())


def line_of(package: Path, filename: str, row: int) -> str:
    """Return a place with its line."""
    lines = (package / filename).read_text(encoding="utf-8", errors="replace").splitlines()
    return f"{filename}:{row}: {lines[row - 1].strip() if row <= len(lines) else ''}"


def shown(package: Path, constructor: dict[str, Any], reason: dict[str, Any]) -> list[str]:
    """Return a reason with the lines that it names."""
    made = line_of(package, constructor["filename"], constructor["location"]["row"])
    steps = [line_of(package, step["filename"], step["row"]) for step in reason.get("path", ())]
    return [
        f"- {package.name}: its key {reason['text']}",
        f"    made  {made}",
        *(f"    via   {step}" for step in steps),
        f"    place {line_of(package, reason['filename'], reason['row'])} {reason['code'] or ''}",
    ]


def main() -> None:
    """Draw reasons and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    drawing = random.Random(options.seed)
    packages = sorted(path for folder in options.folders for path in folder.iterdir() if path.is_dir())
    drawing.shuffle(packages)
    found = 0
    for package, report in reports_of(filter(uses_raw_keys, packages), options.jobs):
        if report is None:
            print(f"# {package.name}: no report", flush=True)
            continue
        held = [
            (constructor, reason)
            for constructor in report["constructors"]
            if constructor["cell"] is None
            for reason in constructor["held_back_by"]
            if reason["cell"] is None
        ]
        print(f"# {package.name}: {len(report['constructors'])} constructors, {len(held)} reasons", flush=True)
        for constructor, reason in drawing.sample(held, min(options.each, len(held), options.number - found)):
            found += 1
            print("\n".join([f"{found}.", *shown(package, constructor, reason)]), flush=True)
        if found >= options.number:
            break


if __name__ == "__main__":
    main()
