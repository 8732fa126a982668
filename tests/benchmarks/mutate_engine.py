"""Whether the tests notice small changes of the engine and the codemods: see README.md beside this file.

Usage: ``python tests/benchmarks/mutate_engine.py --seed N [--mutations 100] [--jobs 1] [--only TEXT]``
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from engine_sites import ROOT, Mutation, all_mutations

EQUIVALENT = Path(__file__).with_name("engine_equivalent.toml")
AIM = 0.9
CPU_LIMIT = 240  # seconds; all limits are those of one mutation
WALL_LIMIT = 900  # seconds
MEMORY_LIMIT = 6 << 30  # bytes
NOTHING_RAN = {4, 5}  # exit statuses of pytest
WARM = ("hypothesis", "libcst.metadata", "markdown_it", "rich.console", "pathspec", "xdist")  # no package of ours


def named(folder: str, names: str) -> list[str]:
    """Return the files of tests in a folder by their names."""
    return [f"{folder}/test_{name}.py" for name in names.split()]


EXAMPLES = ["rules/test_pages.py", "twins/test_twins.py::test_findings_are_those_marked"]
LINEAGES = named("lint", "lineage_shown")
MIGRATIONS = ["lint/test_raw_partners.py::test_raw_partners_are_announced", *named("lint", "reasons")]
HELD_BACK = named("lint", " ".join(f"migrate_{name}" for name in ("either", "given_back", "mapped", "many", "sinks")))
FIXES = "fixes rewrites key_reuse_fix key_conversion_fix references callees migration_found migration_names"
KEY_FLOW = [
    *EXAMPLES,
    *named("rules", "keyflow judging messages summaries conversions guards lanes"),
    *named("rules", "libraries files array_objects project"),
    *named("rules", "hidden_state decorators unbound_calls failures"),
    *LINEAGES,
    *MIGRATIONS,
]
TESTS: dict[str, list[str]] = {  # the tests of a part, those that notice most for their time first
    "codemods/": [*EXAMPLES, *named("codemods", FIXES), *MIGRATIONS, *named("codemods", "array_objects_fix")],
    "rules/olympus_rules/deriving/": named("lint", "derive_pack"),
    "rules/olympus_rules/reach/": [
        *named("rules", "reach reach_slots reach_bounds"),
        *MIGRATIONS,
        *HELD_BACK,
        *named("codemods", f"{FIXES} migration_values only_keys"),
    ],
    "rules/olympus_rules/keyflow/domain/": [*KEY_FLOW, *named("rules", "domain")],
    "rules/olympus_rules/keyflow/linking/answers.py": [*named("rules", "files linking"), *named("lint", "cache")],
    "rules/olympus_rules/keyflow/linking/": [*KEY_FLOW, *named("rules", "linking")],
    "rules/olympus_rules/libraries/": [*KEY_FLOW, *named("rules", "signatures signature_packs")],
    "rules/olympus_rules/syntax/": [*named("rules", "disk fragments"), *KEY_FLOW],
    "rules/": KEY_FLOW,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests said of a mutation: whether they noticed it, by what, and after how many seconds."""

    mutation: Mutation
    killed: bool
    how: str
    seconds: float


class Patched(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed source."""

    def __init__(self, name: str, path: str, source: bytes):
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the changed source, past the cache of byte code."""
        return compile(self.source, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the mutated module."""

    def __init__(self, mutation: Mutation):
        self.name = module(mutation.path)
        self.path, self.source = str(ROOT / mutation.path), mutation.applied()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the specification of the mutated module, and of no other."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=Patched(name, self.path, self.source))


def module(path: str) -> str:
    """Return the name of the module in a file."""
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


def tests_of(path: str) -> list[str]:
    """Return the tests of the part that a file belongs to, in their order."""
    part = next(part for part in TESTS if path.startswith(part))
    return [str(ROOT / "tests" / name) for name in TESTS[part]]


def chosen(seed: int, number: int, only: str = "") -> list[Mutation]:
    """Return mutations by a seed; one stays chosen while others come and go."""
    known = equivalent()
    found = (each for each in all_mutations() if each.key not in known and only in each.key)
    return sorted(found, key=lambda each: each.rank(seed))[:number]


def equivalent() -> dict[str, str]:
    """Return the mutations that change nothing which can be seen, each with the reason."""
    return tomllib.loads(EQUIVALENT.read_text("utf-8"))


class Notice:
    """A plugin of pytest that writes down the first test that fails, or the file that cannot be collected."""

    def __init__(self, file: Path):
        self.file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Look at the report of a test."""
        self.pytest_collectreport(report)

    def pytest_collectreport(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Look at the report of a file."""
        if report.failed and not self.file.exists():
            self.file.write_text(report.nodeid, "utf-8")


def run(tests: list[str], folder: Path, mutation: Mutation | None = None) -> int:
    """Run tests in this process, which is left afterwards, and return the exit status of pytest."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    out = os.open(folder / "output", os.O_CREAT | os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ["OLYMPUS_LINT_CACHE_DIR"] = str(folder / "cache")  # its answers are those of the program on disk
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    if mutation is not None:
        sys.meta_path.insert(0, Finder(mutation))
    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--tb=short", f"--rootdir={ROOT}"]
    for file in tests:  # what follows a failure is not even collected
        status = int(pytest.main([*options, file], plugins=[Notice(folder / "failed")]))
        if status:
            return status
    return 0


@dataclass(frozen=True, slots=True)
class Child:
    """A process that runs tests, with a folder of its own."""

    pid: int
    folder: Path
    mutation: Mutation | None
    started: float


def forked(tests: list[str], mutation: Mutation | None = None) -> Child:
    """Run tests in a copy of this process, which has imported what they need of other packages."""
    folder = Path(tempfile.mkdtemp(prefix="mutation-"))
    pid = os.fork()
    if pid == 0:
        status = 3
        try:
            status = run(tests, folder, mutation)
        finally:
            os._exit(status)  # nothing of the parent ends twice
    return Child(pid, folder, mutation, time.monotonic())


def ended(child: Child, status: int) -> tuple[int, str, str]:
    """Return the exit status of a process, the test that failed and what pytest printed; nothing is left of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # what its tests have started
    failed = child.folder / "failed"
    found = failed.read_text("utf-8") if failed.exists() else ""
    output = (child.folder / "output").read_text("utf-8", errors="replace")
    shutil.rmtree(child.folder)
    return os.waitstatus_to_exitcode(status), found, output


def outcomes(mutations: Iterable[Mutation], jobs: int) -> Iterator[Outcome]:
    """Run the tests on each mutation, some at a time, and return what they say.

    Raises:
        RuntimeError: pytest ran no test.
    """
    waiting, running = deque(mutations), dict[int, Child]()
    while waiting or running:
        while waiting and len(running) < jobs:
            child = forked(tests_of(waiting[0].path), waiting.popleft())
            running[child.pid] = child
        pid, status = waited(running.values())
        child = running.pop(pid)
        code, failed, output = ended(child, status)
        if code in NOTHING_RAN:
            raise RuntimeError(output)
        assert child.mutation is not None
        yield Outcome(child.mutation, code != 0, failed, time.monotonic() - child.started)


def waited(children: Iterable[Child]) -> tuple[int, int]:
    """Wait for the first process that ends, and end those over the limit."""
    while True:
        for child in children:
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                return pid, status
            if time.monotonic() - child.started > WALL_LIMIT:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
        time.sleep(0.02)


def passing(tests: list[str]) -> str:
    """Run tests without a mutation; return what pytest printed if one fails."""
    child = forked(tests)
    code, _, output = ended(child, os.waitpid(child.pid, 0)[1])
    return output if code else ""


def shown(mutation: Mutation) -> str:
    """Return the change of a file."""
    old, new = (ROOT / mutation.path).read_text("utf-8"), mutation.applied().decode()
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "", "", lineterm="", n=2)
    return "\n".join(f"    {line}" for line in list(lines)[3:])


def main() -> int:
    """Try mutations, and print what became of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--mutations", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations with a text in their key only")
    options = parser.parse_args()
    for name in WARM:
        importlib.import_module(name)
    found = []
    for outcome in outcomes(chosen(options.seed, options.mutations, options.only), options.jobs):
        found.append(outcome)
        at, key = f"{outcome.mutation.path}:{outcome.mutation.row}", outcome.mutation.key
        print(f"{'killed' if outcome.killed else 'SURVIVED'}  {at}  {outcome.seconds:.1f} s  {outcome.how}", flush=True)
        if not outcome.killed:
            print(f"    {key!r}\n{shown(outcome.mutation)}", flush=True)
    failing = passing(sorted({outcome.how for outcome in found if outcome.how}))
    if failing:
        print(f"error: tests fail without a mutation, so nothing is shown\n{failing}", file=sys.stderr)
        return 2
    killed = sum(outcome.killed for outcome in found)
    print(f"{killed} of {len(found)} killed ({killed / len(found):.0%})")
    return int(killed < AIM * len(found))


if __name__ == "__main__":
    sys.exit(main())
