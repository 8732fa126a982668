"""Real files, and mutants of them, through the check and all fixes: nothing may fail inside, and fixes have to hold.

Usage: ``python tests/benchmarks/reliability.py [--jobs N] files FOLDER ...``
       ``python tests/benchmarks/reliability.py [--jobs N] mutants --number N --seed N FOLDER ...``
       ``python tests/benchmarks/reliability.py notebooks FOLDER ...``
       ``python tests/benchmarks/reliability.py kills --number N --seed N``
       ``python tests/benchmarks/reliability.py soak FOLDER ...``

Of each file, with all rules: no internal error; what is rewritten with unsafe fixes parses if the file did, and a
second run with the same options changes nothing. A mutant is a file with a few random changes of bytes, tokens, lines
or encodings. A quarter of the mutants, or none with ``--alone``, are checked in the place of their file, with what it
imports: where a fix depends on other files, that takes ten times as long. Of a rewritten notebook, nothing but the
sources of code cells may change. ``kills`` ends the command at random moments of ``--fix``, ``--write-baseline`` and a
run with a cache: each file has to be the old or the new one, whole, and the next run has to report what it would have
reported. ``soak`` runs the whole command on each package under the folders, in a process of its own: no internal error,
no file over 5 s of CPU time, no run over 1 GiB.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings, from_table, override
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.one_file import check_bytes

LARGEST = 10_000
"""Bytes of a file that mutants are made of: many small ones say more than a few large ones."""
EACH = 100
"""Mutants of one file."""
SLOW = 5.0
"""Seconds for one file."""
LARGE = 1024
"""MiB for one run."""
TOKEN = re.compile(rb"\w+|[^\w\s]|\s+")
SPICE = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\x0c", b"\t", b"\\\n", b"\xe2\x80\xa8", "🎲".encode(),
    b"# -*- coding: latin-1 -*-\n", b"(" * 60, b"lambda: ", b"*", b"**", b"yield ", b"await ", b":=", b"...",
    b"global key\n", b"nonlocal key\n", b"del key\n", b"match key:\n    case _:\n        pass\n", b"# noqa\n",
    b"# olympus: ignore[", b"f'{key!r:{key}}'", b"key = key\n", b"return key\n", b"while True:\n", b"try:\n", b"0x",
]  # fmt: skip


@dataclass
class Outcome:
    """What came of some inputs.

    Attributes:
        counts: how many inputs, inputs that parse, findings and rewritten files there were.
        failures: the name of each input that failed, with the cause.
        slow: the files that took longest, with the seconds.
        peak: the memory of the process, in MiB.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)
    peak: float = 0.0

    def add(self, other: Outcome) -> None:
        """Add the outcome of other inputs."""
        self.counts += other.counts
        self.failures += other.failures
        self.slow = sorted([*self.slow, *other.slow], reverse=True)[:5]
        self.peak = max(self.peak, other.peak)


def all_rules() -> Settings:
    """Return the settings with all rules and all fixes."""
    table = {"select": ["ALL"], "min-confidence": "possible", "unsafe-fixes": True, "tests": "all"}
    return override(Settings(), from_table(table, "", Path.cwd()))


def parses(data: bytes) -> bool:
    """Return whether Python accepts a text."""
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def failure(name: str, data: bytes, settings: Settings, projects: Projects, outcome: Outcome) -> str:
    """Check and fix one text; return what is wrong with that, or nothing."""
    context = Context(Mode.FIX, projects)
    started = time.perf_counter()
    try:
        with deep_recursion():
            result, new = check_bytes(name, data, settings, context)
    except Exception as error:
        return f"raised {error!r}"
    outcome.slow.append((time.perf_counter() - started, name))
    outcome.counts["inputs"] += 1
    outcome.counts["parse"] += parses(data)
    outcome.counts["findings left"] += len(result.findings)
    wrong = [str(error) for error in result.errors if "internal" in str(error) or "fixes of" in str(error)]
    if wrong:
        return wrong[0]
    if new == data:
        return ""
    outcome.counts["rewritten"] += 1
    if parses(data) and not parses(new):
        return "the fixed text does not parse"
    projects.forget(name)
    with deep_recursion():
        _, again = check_bytes(name, new, settings, context)
    return "a second run changes the fixed text" if again != new else ""


def check_all(inputs: Iterable[tuple[str, bytes]]) -> Outcome:
    """Check texts, each under the name of its file."""
    warnings.simplefilter("ignore")
    outcome, settings, projects = Outcome(), all_rules(), Projects()
    for name, data in inputs:
        wrong = failure(name, data, settings, projects, outcome)
        if wrong:
            outcome.failures.append((name, wrong))
            keep(data, len(outcome.failures))
        projects.forget(name)
    outcome.slow = sorted(outcome.slow, reverse=True)[:5]
    outcome.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return outcome


def keep(data: bytes, number: int) -> None:
    """Keep a text that failed beside the working folder's cache."""
    folder = Path(".olympus-lint-cache/failures")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{time.time_ns()}-{number}.py").write_bytes(data)


def check_folder(folder: Path) -> Outcome:
    """Check the Python files under a folder."""
    files = sorted(path for path in folder.rglob("*.py") if path.is_file())
    return check_all((str(path), path.read_bytes()) for path in files)


def check_mutants(task: tuple[Path, int, int], *, alone: bool = False) -> Outcome:
    """Check so many mutants of a file: in a place where its imports lead nowhere, or in its own."""
    path, seed, number = task
    alone = alone or seed % 4 > 0
    name = f"/nowhere/{path.name}" if alone else str(path)
    return check_all((name, each) for each in mutants(path.read_bytes(), seed, number))


def mutants(data: bytes, seed: int, number: int) -> Iterator[bytes]:
    """Yield variants of a text."""
    drawing = random.Random(seed)
    for _ in range(number):
        text = data
        for _ in range(drawing.choice((1, 1, 1, 2, 3, 8))):
            text = drawing.choice(CHANGES)(text, drawing)
        yield text


def drop_line(data: bytes, drawing: random.Random) -> bytes:
    """Leave out some lines."""
    lines = data.splitlines(keepends=True) or [b""]
    at = drawing.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + drawing.randint(1, 3) :])


def repeat_line(data: bytes, drawing: random.Random) -> bytes:
    """Write some lines again, elsewhere."""
    lines = data.splitlines(keepends=True) or [b""]
    at, to = drawing.randrange(len(lines)), drawing.randrange(len(lines))
    return b"".join(lines[:to] + lines[at : at + drawing.randint(1, 4)] + lines[to:])


def indent(data: bytes, drawing: random.Random) -> bytes:
    """Move a line to the right or to the left."""
    lines = data.splitlines(keepends=True) or [b""]
    at = drawing.randrange(len(lines))
    lines[at] = drawing.choice((b"    " + lines[at], b"\t" + lines[at], lines[at].lstrip(b" ")))
    return b"".join(lines)


def swap_tokens(data: bytes, drawing: random.Random) -> bytes:
    """Let two tokens change places."""
    tokens = TOKEN.findall(data) or [b""]
    one, other = drawing.randrange(len(tokens)), drawing.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]
    return b"".join(tokens)


def copy_token(data: bytes, drawing: random.Random) -> bytes:
    """Put a word of the text in the place of another one."""
    tokens = TOKEN.findall(data) or [b""]
    words = [at for at, token in enumerate(tokens) if token[:1].isalpha() or token[:1] == b"_"] or [0]
    tokens[drawing.choice(words)] = tokens[drawing.choice(words)]
    return b"".join(tokens)


def season(data: bytes, drawing: random.Random) -> bytes:
    """Insert what is rare."""
    at = drawing.randint(0, len(data))
    return data[:at] + drawing.choice(SPICE) + data[at:]


def flip(data: bytes, drawing: random.Random) -> bytes:
    """Change one byte."""
    if not data:
        return data
    at = drawing.randrange(len(data))
    return data[:at] + bytes([drawing.randrange(256)]) + data[at + 1 :]


def cut(data: bytes, drawing: random.Random) -> bytes:
    """Let the text end early."""
    return data[: drawing.randint(0, len(data))]


CHANGES = [drop_line, repeat_line, indent, swap_tokens, copy_token, copy_token, season, flip, cut]


def tasks_of(folders: list[Path], number: int, seed: int, largest: int = LARGEST) -> list[tuple[Path, int, int]]:
    """Return files that hold keys and have so many bytes at most, with a seed and a number of mutants for each."""
    files = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if path.is_file()
        and path.stat().st_size <= largest
        and b"random" in (data := path.read_bytes())
        and b"jax" in data
    ]
    random.Random(seed).shuffle(files)
    return [(path, seed + at, EACH) for at, path in enumerate(files[: max(1, number // EACH)])]


def check_notebooks(folders: Iterable[Path]) -> int:
    """Fix notebooks, print what came of them, and return how many are harmed."""
    outcome, settings = Outcome(), all_rules()
    for path in sorted(path for folder in folders for path in folder.rglob("*.ipynb")):
        data, name = path.read_bytes(), str(path)
        wrong = failure(name, data, settings, Projects(), outcome)
        with deep_recursion():
            _, new = check_bytes(name, data, settings, Context(Mode.FIX, Projects()))
        if wrong or (new != data and not is_only_code(data, new, outcome)):
            outcome.failures.append((name, wrong or "something beside code cells has changed"))
            print(f"FAILED {name}: {outcome.failures[-1][1]}", flush=True)
    print(f"{json.dumps(dict(outcome.counts))}, {len(outcome.failures)} failed")
    return len(outcome.failures)


def is_only_code(old: bytes, new: bytes, outcome: Outcome) -> bool:
    """Return whether two notebooks differ in the sources of code cells only."""
    before, after = json.loads(old), json.loads(new)
    cells = list(zip(before.pop("cells"), after.pop("cells"), strict=True))
    changed = [one for one, other in cells if one.pop("source") != other.pop("source")]
    outcome.counts["cells rewritten"] += len(changed)
    is_code = all(cell["cell_type"] == "code" for cell in changed)
    lines = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).get_opcodes()
    edits = [(a, b, c, d) for kind, a, b, c, d in lines if kind != "equal"]
    rows = [row for a, b, c, d in edits for row in (*old.splitlines()[a:b], *new.splitlines()[c:d])]
    return is_code and before == after and all(one == other for one, other in cells) and all(
        row.lstrip().startswith(b'"') for row in rows
    )  # fmt: skip


PART = """\
import jax


def draw{number}(seed):
    key = jax.random.PRNGKey(seed)
    print(key.shape == (2,), "é{number}")
    return jax.random.normal(key)
"""
FILES = 60
COMMANDS = (("--select", "ALL", "--fix", "--no-cache"), ("--write-baseline", "known.json"), ("--exit-zero",))


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the mode and the bytes of each file of a folder; a link counts as what it is."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes())
        for path in found
        if ".olympus-lint-cache" not in path.parts
    }


def make_project(folder: Path) -> None:
    """Write a project with something to fix in each file, a link, and a baseline."""
    folder.mkdir()
    for number in range(FILES):
        path = folder / f"module{number}.py"
        path.write_text(PART.format(number=number), "utf-8")
        path.chmod(0o640 if number % 2 else 0o755)
    (folder / "real").mkdir()
    (folder / "module0.py").rename(folder / "real/target.py")
    (folder / "module0.py").symlink_to("real/target.py")
    (folder / "known.json").write_text('{"version": 1, "findings": {}}\n')


def run_command(folder: Path, words: Iterable[str], after: float | None = None) -> tuple[float, bytes]:
    """Run the command in a folder, and kill it after so many seconds; return how long it ran, and what it printed."""
    line = [sys.executable, "-m", "olympus_lint", *words, "."]
    started = time.perf_counter()
    running = subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        out, _ = running.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        running.kill()
        out, _ = running.communicate()
    return time.perf_counter() - started, out


def check_kills(number: int, seed: int) -> int:
    """Kill so many runs, print what came of them, and return how many did harm."""
    drawing, harmed, moments = random.Random(seed), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        make_project(root / "old")
        before, after, taken = state_of(root / "old"), {}, {}
        for words in COMMANDS:
            shutil.copytree(root / "old", root / "new", symlinks=True)
            taken[words], _ = run_command(root / "new", words)
            after[words] = state_of(root / "new")
            shutil.rmtree(root / "new")
        _, report = run_command(root / "old", ("--no-cache",))
        for _ in range(number):
            words = drawing.choice(COMMANDS)
            shutil.copytree(root / "old", root / "run", symlinks=True)
            run_command(root / "run", words, drawing.uniform(0.1, 1.05 * taken[words]))
            state = state_of(root / "run")
            damaged = [name for name in before if state.get(name) not in (before[name], after[words][name])]
            changed = sum(state.get(name) != before[name] for name in before)
            moments["before" if not changed else "after" if state == after[words] else "during"] += 1
            if words[0] == "--exit-zero" and run_command(root / "run", ())[1] != report:
                damaged.append("the report after it")
            if damaged:
                harmed += 1
                print(f"FAILED {' '.join(words)}: {', '.join(damaged)}", flush=True)
            shutil.rmtree(root / "run")
    print(f"{number} kills, {dict(moments)} the first and the last change, {harmed} did harm")
    return harmed


def soak_one(package: Path) -> tuple[Outcome, float]:
    """Run the whole command on a package, in this process; return what came of it, and the CPU seconds."""
    from olympus_lint.cli import main as command
    from olympus_lint.run import runner

    outcome, check_file, errors = Outcome(), runner.check_file, io.StringIO()

    def timed(file: SourceFile, context: Context) -> FileResult:
        started = time.process_time()
        result = check_file(file, context)
        outcome.slow.append((time.process_time() - started, file.filename))
        return result

    runner.check_file = timed
    options = ["--no-cache", "--jobs", "1", "--isolated", "--no-respect-gitignore", "--output-format", "json"]
    started = time.process_time()
    with redirect_stderr(errors), redirect_stdout(io.StringIO()) as report:
        status = command([*options, str(package)])
    seconds = time.process_time() - started
    outcome.counts += Counter({"runs": 1, "files": len(outcome.slow), "findings": report.getvalue().count('"code"')})
    outcome.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    wrong = [line for line in errors.getvalue().splitlines() if "internal error" in line]
    wrong += [f"exit status {status}"] if status not in (0, 1, 2) else []
    wrong += [f"{taken:.1f} s {name}" for taken, name in outcome.slow if taken > SLOW]
    wrong += [f"{outcome.peak:.0f} MiB"] if outcome.peak > LARGE else []
    outcome.failures = [(str(package), each) for each in wrong]
    outcome.slow = sorted(outcome.slow, reverse=True)[:5]
    return outcome, seconds


def soak(folders: Iterable[Path]) -> int:
    """Run the whole command on each package, print what came of it, and return how many failed."""
    packages = sorted(path for folder in folders for path in folder.iterdir() if path.is_dir())
    total, spent = Outcome(), 0.0
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:  # so that the memory is that of one run
        for package, (outcome, seconds) in zip(packages, pool.imap(soak_one, packages, chunksize=1), strict=True):
            spent += seconds
            total.add(outcome)
            print(
                f"{package.name}: {outcome.counts['files']} files, {seconds:.1f} s, {outcome.peak:.0f} MiB", flush=True
            )
            for name, wrong in outcome.failures:
                print(f"FAILED {name}: {wrong}", flush=True)
    slow = [f"{seconds:.1f} s {name}" for seconds, name in total.slow]
    print(f"{json.dumps(dict(total.counts))}, {len(total.failures)} failed, {total.peak:.0f} MiB, {spent:.0f} s of CPU")
    print("slowest:", *slow, sep="\n  ")
    return len(total.failures)


def main() -> int:
    """Check, print what came of it, and return whether something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("files", "mutants", "notebooks", "kills", "soak"))
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=LARGEST, help="bytes of a file that mutants are made of")
    parser.add_argument("--alone", action="store_true", help="without the files that mutants import")
    options = parser.parse_intermixed_args()
    if options.what == "kills":
        return int(check_kills(options.number, options.seed) > 0)
    if options.what == "soak":
        return int(soak(options.folders) > 0)
    if options.what == "notebooks":
        warnings.simplefilter("ignore")
        return int(check_notebooks(options.folders) > 0)
    packages = sorted(path for folder in options.folders for path in folder.iterdir() if path.is_dir())
    total, started = Outcome(), time.perf_counter()
    with get_context("forkserver").Pool(options.jobs, maxtasksperchild=8) as pool:
        if options.what == "files":
            found = pool.imap_unordered(check_folder, packages)
        else:
            tasks = tasks_of(options.folders, options.number, options.seed, options.largest)
            found = pool.imap_unordered(partial(check_mutants, alone=options.alone), tasks)
        for outcome in found:
            if sys.stderr.isatty():
                print(f"{total.counts['inputs']} inputs", end="\r", file=sys.stderr)
            for name, wrong in outcome.failures:
                print(f"FAILED {name}: {wrong}", flush=True)
            total.add(outcome)
    slow = [f"{seconds:.1f} s {name}" for seconds, name in total.slow]
    counts = json.dumps(dict(total.counts))
    print(f"{counts}, {len(total.failures)} failed, {total.peak:.0f} MiB, {time.perf_counter() - started:.0f} s")
    print("slowest:", *slow, sep="\n  ")
    return int(bool(total.failures) or any(seconds > SLOW for seconds, _ in total.slow))


if __name__ == "__main__":
    sys.exit(main())
