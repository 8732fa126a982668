"""Released packages, migrated, with their own tests before and after: ``python tests/benchmarks/migrate.py``.

Usage: ``python tests/benchmarks/migrate.py --python PATH [--sdists FOLDER] [--jobs N] [PACKAGE ...]``
or ``python tests/benchmarks/migrate.py --cost FOLDER ...``

Each package is copied, its tests are run, ``olympus-lint --migrate --fix .`` rewrites it, and its tests are run again
under the same JAX. No test that passed may fail afterwards, but for those that are listed with the reason, and a second
migration may change nothing. The constructors of raw keys are counted: renamed, held back, and left without a reason.
The interpreter has pytest, pytest-xdist and what the packages need, in versions that take typed keys.

With ``--cost``, the migration of each folder is planned, nothing is changed, and its CPU time and peak memory are
printed. The exit status is 1 if one of them is over its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Suite:
    """A package's tests, chosen before it was first migrated.

    Attributes:
        folder: the source distribution.
        tests: the tests that are run, as pytest takes them; globs are allowed.
        excused: tests that may fail afterwards, with the reason.
    """

    folder: str
    tests: tuple[str, ...]
    excused: tuple[tuple[str, str], ...] = ()


MOST_SECONDS, MOST_MEBIBYTES = 60, 1024
LIMITS = {"flax": (120, 1536)}
"""The limits of CPU time and memory for some folders, by the start of their names, in place of those of all others."""
HAIKU = "base random stateful attention dropout basic lift multi_transform summarise eval_shape jaxpr_info recurrent"
RANDOM_TEST = "haiku._src.random_test.RandomTest"
SUITES = {
    "mctx": Suite("mctx-0.0.71", ("mctx",)),
    "rlax": Suite("rlax-0.1.9", ("rlax",)),
    "dm-haiku": Suite(
        "dm_haiku-0.0.17",
        tuple(f"haiku/_src/{name}_test.py" for name in f"{HAIKU} batch_norm".split()),
        (
            (
                f"{RANDOM_TEST}::test_rbg_default_impl",
                "it asserts the shape (4,) of a key that a transformed function gives",
            ),
            (f"{RANDOM_TEST}::test_rbg_default_impl_invalid_key_shape", "it cuts words off a key to see them refused"),
        ),
    ),
    "distrax": Suite(
        "distrax-0.1.9",
        (
            "distrax/_src/utils",
            *(
                f"distrax/_src/distributions/{name}_test.py"
                for name in ("categorical", "normal", "bernoulli", "gumbel", "uniform")
            ),
        ),
    ),
    "dynamax": Suite(
        "dynamax-1.0.3",
        (
            "dynamax/utils",
            "dynamax/hidden_markov_model/inference_test.py",
            "dynamax/linear_gaussian_ssm/inference_test.py",
        ),
    ),
}


def outcomes(python: str, folder: Path, tests: tuple[str, ...], jobs: int) -> tuple[dict[str, str], float]:
    """Run tests; return the outcome of each, and the seconds that it took."""
    report = folder / "olympus-report.xml"
    paths = [str(path.relative_to(folder)) for pattern in tests for path in sorted(folder.glob(pattern))]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-n", str(jobs), *paths]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        print(done.stdout[-3000:], done.stderr[-1000:])
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[f"{case.get('classname')}::{case.get('name')}"] = min(kinds, default="passed")
    return found, time.perf_counter() - started


def migrated(folder: Path) -> dict[str, object]:
    """Migrate a folder; return the report."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    options = ["--migrate", "--fix", "--no-respect-gitignore", "--output-format", "json", "."]
    done = subprocess.run(
        [sys.executable, "-m", "olympus_lint", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stderr, end="", file=sys.stderr)
    report: dict[str, object] = json.loads(done.stdout)
    return report


def cost(folder: Path) -> bool:
    """Plan the migration of a folder, and print what that costs; return whether it is within the limits."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    options = ["--migrate", "--no-cache", "--no-respect-gitignore", "--output-format", "json", "."]
    with tempfile.TemporaryFile("w+") as output:
        command = [sys.executable, "-m", "olympus_lint", *options]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output)
        _, _, used = os.wait4(process.pid, 0)
        output.seek(0)
        report = json.load(output)
    return told_cost(folder, report["constructors"], used)


def told_cost(folder: Path, constructors: list[dict[str, object]], used: resource.struct_rusage) -> bool:
    """Print the cost of a plan; return whether it is within the limits."""
    files = list(folder.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    free = sum(not each["held_back_by"] for each in constructors)
    seconds, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(
        f"{folder.name:24} {len(files):4} files {lines:7} lines: {seconds:5.1f} s CPU, {mebibytes:5.0f} MiB, "
        f"{free} of {len(constructors)} constructors can make typed keys",
        flush=True,
    )
    limits = [limit for name, limit in LIMITS.items() if folder.name.startswith(name)]
    most_seconds, most_mebibytes = limits[0] if limits else (MOST_SECONDS, MOST_MEBIBYTES)
    return seconds <= most_seconds and mebibytes <= most_mebibytes


def sources(folder: Path) -> dict[Path, bytes]:
    """Return the Python files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*.py")}


def measure(name: str, suite: Suite, options: argparse.Namespace, temporary: Path) -> bool:
    """Migrate one package; say whether all is as it should be."""
    folder = temporary / name
    shutil.copytree(options.sdists.absolute() / suite.folder, folder)
    before, seconds = outcomes(options.python, folder, suite.tests, options.jobs)
    print(f"{name}: {told(before)} before, in {seconds:.0f} s", flush=True)
    started = time.perf_counter()
    report = migrated(folder)
    print(f"  migrated in {time.perf_counter() - started:.0f} s: {len(report['files'])} files changed")  # type: ignore[arg-type]
    constructors: list[dict[str, list[dict[str, str]]]] = report["constructors"]  # type: ignore[assignment]
    held = [each for each in constructors if each["held_back_by"]]
    print(f"  constructors: {len(constructors)}, renamed {len(constructors) - len(held)}, held back {len(held)}")
    for each in held:
        reasons = "; ".join(
            f"{reason['text']} ({reason['filename']}:{reason['row']})" for reason in each["held_back_by"]
        )
        print(f"    held: {each['filename']}:{each['location']['row']}: {reasons[:300]}")  # type: ignore[call-overload]
    for place in report["left"]:  # type: ignore[attr-defined]
        print(f"  left: {place['filename']}:{place['location']['row']} {place['code']} {place['message'][:120]}")
    after, seconds = outcomes(options.python, folder, suite.tests, options.jobs)
    print(f"  {told(after)} after, in {seconds:.0f} s")
    excused = dict(suite.excused)
    broken = [test for test, outcome in before.items() if outcome == "passed" and after.get(test) != "passed"]
    for test in broken:
        print(f"  now {after.get(test, 'gone')}: {test} [{excused.get(test, 'NOT EXCUSED')}]")
    once = sources(folder)
    migrated(folder)
    again = [str(path.relative_to(folder)) for path, data in sources(folder).items() if once[path] != data]
    print(f"  a second migration changes {', '.join(again) or 'nothing'}", flush=True)
    return not again and all(test in excused for test in broken) and "passed" in before.values()


def told(outcomes: dict[str, str]) -> str:
    """Return how many tests had which outcome."""
    counts = {kind: list(outcomes.values()).count(kind) for kind in ("passed", "failure", "error", "skipped")}
    return ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)


def main() -> int:
    """Migrate the packages; the exit status is 1 if one of the demands is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--sdists", type=Path, default=Path("corpus"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cost", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("packages", nargs="*", default=list(SUITES))
    options = parser.parse_args()
    if options.cost:
        over = [folder for folder in options.cost if not cost(folder)]
        return int(bool(over))
    failures = 0
    for name in options.packages:
        with tempfile.TemporaryDirectory() as temporary:
            failures += not measure(name, SUITES[name], options, Path(temporary))
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
