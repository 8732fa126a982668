"""Released packages, migrated, with their own tests before and after: ``python tests/benchmarks/migrate.py``.

Usage: ``python tests/benchmarks/migrate.py [--python [PACKAGE=]PATH ...] [--sdists FOLDER] [--jobs N] [PACKAGE ...]``
or ``python tests/benchmarks/migrate.py --cost FOLDER ...``

Each package is migrated in both styles, and its tests run under one JAX: before, after, and after with
``JAX_ENABLE_CUSTOM_PRNG=1``. A test that fails only afterwards is announced if a place that the report leaves to a
person is in its traceback. The exit status is 1 if one is not announced, or if a second migration changes something.
The interpreters have pytest, pytest-xdist and what the packages need, in versions that take typed keys.

With ``--cost``, the migration of each folder is planned, nothing is changed, and its CPU time and peak memory are
printed. The exit status is 1 if one of them is over its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Suite:
    """A package's tests, chosen before it was first migrated.

    Attributes:
        folder: the source distribution.
        tests: the tests that are run, as pytest takes them; globs are allowed.
        added: a file of ``suites`` that is put into the package, as its releases have no tests.
    """

    folder: str
    tests: tuple[str, ...]
    added: str = ""


MOST_SECONDS, MOST_MEBIBYTES = 60, 1024
LIMITS = {"flax": (120, 1536)}
"""The limits of CPU time and memory for some folders, by the start of their names, in place of those of all others."""
HAIKU = "base random stateful attention basic lift multi_transform summarise eval_shape jaxpr_info recurrent"
FED = "aggregators/aggregator_test.py aggregators/compression_test.py algorithms models core"
SUITES = {
    "mctx": Suite("mctx-0.0.71", ("mctx",)),
    "rlax": Suite("rlax-0.1.9", ("rlax/_src/[!m]*_test.py", "rlax/_src/m[!p]*_test.py")),
    "fedjax": Suite("fedjax-0.0.17", (*(f"fedjax/{name}" for name in FED.split()), "examples")),
    "jumanji": Suite("jumanji-1.1.2", ("jumanji_suite.py",), added="jumanji_suite.py"),
    "dm-haiku": Suite("dm_haiku-0.0.17", tuple(f"haiku/_src/{name}_test.py" for name in f"{HAIKU} batch_norm".split())),
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


STYLES = ("typed", "portable")
RUNS = {"after": "after", "typed": "after, with JAX_ENABLE_CUSTOM_PRNG=1"}


def migrated(folder: Path, *options: str) -> dict[str, Any]:
    """Migrate a folder; return the report."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "olympus_lint", "--no-respect-gitignore", "--output-format", "json", *options, "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    print(done.stderr, end="", file=sys.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
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


def measure(name: str, style: str, python: str, options: argparse.Namespace, temporary: Path) -> bool:
    """Migrate one package in one style; say whether all is as it should be."""
    suite, folder = SUITES[name], temporary / name
    shutil.copytree(options.sdists.absolute() / suite.folder, folder)
    if suite.added:
        shutil.copy(Path(__file__).with_name("suites") / suite.added, folder)
    tests = [str(path.relative_to(folder)) for pattern in suite.tests for path in sorted(folder.glob(pattern))]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(options.jobs), *tests]
    report = migrated(folder, f"--migrate={style}", "--check", shlex.join(command))
    check = report["check"]
    print(f"{name}, {style}: {told(check['before']['tests'])} before", flush=True)
    told_constructors(report)
    unannounced = sum(told_run(RUNS[key], check[key]) for key in RUNS if check[key] is not None)
    migrated(folder, f"--migrate={style}", "--fix")
    once = sources(folder)
    migrated(folder, f"--migrate={style}", "--fix")
    again = [str(path.relative_to(folder)) for path, data in sources(folder).items() if once[path] != data]
    print(f"  a second migration changes {', '.join(again) or 'nothing'}", flush=True)
    return not again and not unannounced


def told_constructors(report: Mapping[str, Any]) -> None:
    """Print what becomes of the constructors, and what is left."""
    held = [each for each in report["constructors"] if each["held_back_by"]]
    print(f"  {len(report['constructors'])} constructors, {len(held)} held back; {len(report['files'])} files change")
    for each in held:
        reasons = "; ".join(
            f"{reason['text']} ({reason['filename']}:{reason['row']})" for reason in each["held_back_by"]
        )
        print(f"    held: {each['filename']}:{each['location']['row']}: {reasons[:300]}")
    for place in report["left"]:
        print(f"    left: {place['filename']}:{place['location']['row']} {place['code']} {place['message'][:120]}")


def told_run(when: str, run: Mapping[str, Any]) -> int:
    """Print the outcomes of one run; return how many new failures the report does not announce."""
    print(f"  {told(run['tests'])} {when}", flush=True)
    unannounced = 0
    for failure in run["new_failures"]:
        to_review = [place for place in failure["places"] if place["kind"] in ("left", "held back", "to check")]
        places = [place for place in to_review if place["in_traceback"]]
        unannounced += not places
        also = f" and {failure['also']} tests that did not run" if failure["also"] else ""
        print(f"    now {failure['status']}: {failure['test']}{also}: {failure['message']}")
        print(f"      {'announced' if places else 'NOT ANNOUNCED'}; in its traceback: {told_places(places)}")
        print(f"      among the executed lines: {told_places(place for place in to_review if place not in places)}")
    return unannounced


def told_places(places: Iterable[Mapping[str, Any]]) -> str:
    """Return places of a report."""
    return ", ".join(f"{each['filename']}:{each['row']} {each['name']} ({each['kind']})" for each in places) or "none"


def told(tests: Mapping[str, str]) -> str:
    """Return how many tests had which outcome."""
    return ", ".join(f"{number} {status}" for status, number in Counter(tests.values()).most_common())


def interpreter(name: str, given: Sequence[str]) -> str:
    """Return the Python for a package, of those that were given as ``PATH`` or ``PACKAGE=PATH``."""
    named = [path for package, _, path in (each.partition("=") for each in given) if path and package == name]
    plain = [each for each in given if "=" not in each]
    return [sys.executable, *plain, *named][-1]


def main() -> int:
    """Migrate the packages; the exit status is 1 if one of the demands is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], metavar="[PACKAGE=]PATH")
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
        for style in STYLES:
            with tempfile.TemporaryDirectory() as temporary:
                python = interpreter(name, options.python)
                failures += not measure(name, style, python, options, Path(temporary))
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
