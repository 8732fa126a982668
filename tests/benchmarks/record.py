"""Test suites of real packages, as they are and under ``olympus record``, side by side.

Usage: ``python tests/benchmarks/record.py [--python PATH] [--sdists FOLDER] [--rounds N] [PACKAGE ...]``

For each package: its tests pass as without the recorder; a reuse that is put into a copy of its source is found; every
repeat that is reported otherwise is listed, those that are meant by name; and the time of both, alternating.
The interpreter needs the packages' requirements and pytest. The folder has the unpacked source distributions.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MOST = 1.5  # times the wall time without the recorder


@dataclass(frozen=True)
class Suite:
    """A part of a package's tests.

    Attributes:
        folder: the source distribution.
        tests: the tests that are run.
        file: where a reuse is put.
        before: the source there.
        after: the source with the reuse.
        seeded: the tests that come there.
        meant: repeats that are meant: a text in the file's name or in the evidence, such as the test's name, and the
            reason.
    """

    folder: str
    tests: tuple[str, ...]
    file: str
    before: str
    after: str
    seeded: tuple[str, ...]
    meant: tuple[tuple[str, str], ...] = ()


SUITES = {
    "blackjax": Suite(
        "blackjax-1.7.1",
        ("tests/mcmc/test_barker.py", "tests/mcmc/test_elliptical_slice.py", "tests/smc/test_resampling.py"),
        "blackjax/mcmc/barker.py",
        "key_sample, key_rmh = jax.random.split(rng_key)",
        "key_sample = key_rmh = jax.random.split(rng_key)[0]",
        ("tests/mcmc/test_barker.py",),
        (("tests/mcmc/test_barker.py", "the test runs the sampler twice to compare the results"),),
    ),
    "optax": Suite(
        "optax-0.2.4",
        ("optax/tree_utils/_random_test.py", "optax/transforms/_adding_test.py", "optax/contrib/_privacy_test.py"),
        "optax/transforms/_adding.py",
        "rng_key, sample_key = jax.random.split(state.rng_key)",
        "rng_key, sample_key = jax.random.split(state.rng_key)[0], state.rng_key",
        ("optax/transforms/_adding_test.py",),
        (("optax/tree_utils/_random_test.py", "the test draws a second time to compare the results"),),
    ),
    "numpyro": Suite(
        "numpyro-0.22.0",
        ("test/test_distributions_mixture.py",),
        "numpyro/distributions/mixtures.py",
        "key_comp, key_ind = jax.random.split(key)",
        "key_comp = key_ind = key",
        ("test/test_distributions_mixture.py", "-k", "broadcast"),
    ),
    "numpyro-handlers": Suite(
        "numpyro-0.22.0",
        ("test/test_handlers.py", "-k", "condition or counterfactual or subsample"),
        "numpyro/handlers.py",
        "self.rng_key, rng_key_sample = random.split(self.rng_key)",
        "rng_key_sample = self.rng_key",
        ("test/test_handlers.py", "-k", "condition"),
        (
            ("in test_condition", "the test executes one seeded model twice"),
            ("in test_subsample_gradient", "the test computes one loss twice, to compare"),
            ("in test_counterfactual_query", "it intervenes with None, and numpyro draws the site again with its key"),
        ),
    ),
    "dm-haiku": Suite(
        "dm_haiku-0.0.17",
        tuple(f"haiku/_src/{name}_test.py" for name in ("random", "stateful", "multi_transform", "lift")),
        "haiku/_src/base.py",
        "    self._key = new_keys[0]\n",
        "    self._key = self._key\n",
        ("haiku/_src/multi_transform_test.py", "haiku/_src/stateful_test.py"),
        (
            ("in RandomTest.test_optimize_rng_splitting", "the test compares two ways to split one key"),
            ("in LiftTest.test_lift_with_scan", "the test makes one model twice"),
        ),
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What one run gave: its status, what pytest counted, and the seconds on the clock and of the processors."""

    status: int
    counts: str
    wall: float
    cpu: float


def pytest(python: str, folder: Path, tests: tuple[str, ...], events: Path | None) -> Outcome:
    """Run tests, under the recorder if there is a file for the events."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if events is not None:
        source = str(ROOT / "runtime")
        start = f"import sys; sys.path.insert(0, {source!r}); from olympus.__main__ import main; sys.exit(main())"
        command = [sys.executable, "-c", start, "record", "-o", str(events), "--", *command]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    last = re.sub(r"\x1b\[\d*m|=", "", done.stdout.strip().rpartition("\n")[2]).strip()
    if done.returncode not in (0, 1):
        print(done.stdout[-2000:], done.stderr[-2000:])
    return Outcome(done.returncode, re.sub(r" in [\d.]+s.*", "", last), wall, cpu)


def reports(folder: Path, events: Path) -> list[dict[str, object]]:
    """Return the findings that the events confirm, in the package and its tests."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    arguments = ["--no-cache", "--output-format", "json", "--trace-events", str(events), "--exit-zero", "."]
    selected = ["--select", "OLY101,OLY102,OLY103,OLY104,OLY108", "--select-verdict", "confirmed"]
    done = subprocess.run(
        [sys.executable, "-m", "olympus_lint", *arguments, *selected],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


def main() -> int:
    """Run the suites; the exit status is 1 if one of the demands is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--sdists", type=Path, default=Path("corpus"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("packages", nargs="*", default=list(SUITES))
    options = parser.parse_args()
    failures = 0
    for name in options.packages:
        with tempfile.TemporaryDirectory() as temporary:
            failures += not measure(name, SUITES[name], options, Path(temporary))
    return int(failures > 0)


def measure(name: str, suite: Suite, options: argparse.Namespace, temporary: Path) -> bool:
    """Run one suite; say whether all is as it should be."""
    folder, events = temporary / name, temporary / "events.jsonl"
    shutil.copytree(options.sdists.absolute() / suite.folder, folder)
    plain, recorded = [], []
    for turn in range(options.rounds):
        for under in (None, events) if turn % 2 == 0 else (events, None):
            (plain if under is None else recorded).append(pytest(options.python, folder, suite.tests, under))
    print(f"{name}: {' '.join(suite.tests)}", flush=True)
    outcomes = {(run.status, run.counts) for run in plain + recorded}
    print(f"  outcomes: {', '.join(f'{counts} (status {status})' for status, counts in sorted(outcomes))}")
    times = []
    for what in ("wall", "cpu"):
        one, other = (statistics.median(getattr(run, what) for run in runs) for runs in (plain, recorded))
        times.append(other / one)
        rounds = " ".join(
            f"{getattr(a, what):.1f}/{getattr(b, what):.1f}" for a, b in zip(plain, recorded, strict=True)
        )
        print(f"  {what}: plain {one:.1f} s, recorded {other:.1f} s: {other / one:.2f} times ({rounds})")
    print(f"  event file: {events.stat().st_size / 1e6:.2f} MB")
    false, before = 0, reports(folder, events)
    for report in before:
        verdict: dict[str, Any] = report["verdict"]  # type: ignore[assignment]
        said = "\n".join((str(report["filename"]), *verdict["evidence"]))
        reasons = [reason for text, reason in suite.meant if text in said]
        false += not reasons
        place = f"{report['filename']}:{report['location']['row']}"  # type: ignore[index]
        print(f"  report: {place}: {report['message']} [{reasons[0] if reasons else 'NOT MEANT?'}]")
    target = folder / suite.file
    text = target.read_text("utf-8")
    assert text.count(suite.before) == 1, suite.file
    target.write_text(text.replace(suite.before, suite.after), "utf-8")
    pytest(options.python, folder, suite.seeded, events)
    known = {str(report["message"]) for report in before}
    seeded = [report for report in reports(folder, events) if str(report["message"]) not in known]
    found = [report for report in seeded if str(report["filename"]).endswith(suite.file)]
    for report in found:
        print(f"  seeded: {suite.file}:{report['location']['row']}: {report['message']}")  # type: ignore[index]
    print(f"  seeded reuse in {suite.file}: {'found' if found else 'NOT FOUND'}", flush=True)
    return len(outcomes) == 1 and bool(found) and not false and times[0] <= MOST


if __name__ == "__main__":
    sys.exit(main())
