"""Time the linter against ``ast.parse`` and ruff on the same files: see README.md beside this file."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from packages import DEFAULT_CACHE, CorpusError, load_packages, program

PARSE_ALL = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for folder in sys.argv[1:]:
    for path in pathlib.Path(folder).rglob("*.py"):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, IsADirectoryError):
            pass
"""

SMALL_FILE = """\
import jax


def sample(key, shape):
    first = jax.random.normal(key, shape)
    second = jax.random.uniform(key, shape)
    return first + second


def training_step(state, batch):
    key, subkey = jax.random.split(state.key)
    noise = sample(subkey, batch.shape)
    return state.replace(key=key), batch + noise
"""


@dataclass(frozen=True)
class Run:
    """What one execution of a command cost: seconds on the clock, CPU seconds, MiB of its largest process."""

    wall: float
    cpu: float
    peak: float


def measure(command: Sequence[str]) -> Run:
    """Run a command to its end and return what it cost.

    Raises:
        CorpusError: it fails; the message holds the end of its error output.
    """
    with tempfile.TemporaryFile() as errors:
        before = perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            tail = errors.read().decode(errors="replace")[-800:]
            raise CorpusError(f"{command[0]} ended with exit status {process.returncode}: {tail}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def interleave(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Run]:
    """Run every command once a round, so that a slow minute of the machine hits all of them.

    A first round that is not counted warms the page cache and writes byte code.

    Returns:
        For each command the median of each quantity.
    """
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            run = measure(command)
            if number:
                runs[name].append(run)
    return {
        name: Run(median(r.wall for r in each), median(r.cpu for r in each), median(r.peak for r in each))
        for name, each in runs.items()
    }


def corpus_commands(folders: Sequence[str], kept: Path) -> dict[str, Sequence[str]]:
    ours = [program("olympus-lint"), "--jobs", "1", "--exit-zero", "-q", "--no-respect-gitignore", *folders]
    ruff = [
        program("ruff"),
        "check",
        "--no-cache",
        "--isolated",
        "--exit-zero",
        "-q",
        "--no-respect-gitignore",
    ]
    changed = kept / "changed.py"
    changed.write_text(SMALL_FILE, "utf-8")
    edit = ["sh", "-c", f'echo "# $$" >> "{changed}"; exec "$@"', "sh"]
    return {
        "olympus-lint": [*ours, "--no-cache"],
        "unchanged files": [*ours, "--cache-dir", str(kept / "whole")],
        "one file changed": [*edit, *ours, str(changed), "--cache-dir", str(kept / "changed")],
        "ast.parse": [sys.executable, "-c", PARSE_ALL, *folders],
        "ruff": [*ruff, *folders],
        "ruff, unchanged": [
            *(part for part in ruff if part != "--no-cache"),
            *("--select", "E711", "--cache-dir", str(kept / "ruff"), *folders),
        ],
    }


def small_commands(file: Path) -> dict[str, Sequence[str]]:
    ours = program("olympus-lint")
    return {
        "one small file": [ours, "--no-cache", "--jobs", "1", "--exit-zero", "-q", str(file)],
        "--help": [ours, "--help"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }


def table(runs: dict[str, Run]) -> str:
    lines = [f"{'median':18}{'wall s':>10}{'CPU s':>10}{'peak MiB':>10}"]
    lines += [f"{name:18}{run.wall:10.3f}{run.cpu:10.3f}{run.peak:10.1f}" for name, run in runs.items()]
    return "\n".join(lines)


def ratios(runs: dict[str, Run], ours: str = "olympus-lint") -> str:
    lines = [f"{'ours / theirs':18}{'wall':>10}{'CPU':>10}{'peak':>10}"]
    first = runs[ours]
    for name, run in runs.items():
        if name != ours:
            quotients = (first.wall / run.wall, first.cpu / run.cpu, first.peak / run.peak)
            lines.append(f"{'/ ' + name:18}" + "".join(f"{quotient:10.2f}" for quotient in quotients))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; return 2 when a command fails."""
    parser = argparse.ArgumentParser(prog="speed.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds (default: 5)")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="where packages lie (%(default)s)")
    parser.add_argument("--packages", nargs="+", default=[], metavar="NAME", help="default: all")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds has to be 1 or more")
    try:
        cache = options.cache.expanduser()
        folders = [str(package.folder(cache)) for package in load_packages(options.packages)]
        files = sum(1 for folder in folders for path in Path(folder).rglob("*.py") if path.is_file())
        print(f"{len(folders)} packages, {files} files, {options.rounds} rounds\n")
        with tempfile.TemporaryDirectory() as kept:
            corpus = interleave(corpus_commands(folders, Path(kept)), options.rounds)
        print(f"{table(corpus)}\n\n{ratios(corpus)}\n")
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch, "small.py")
            file.write_text(SMALL_FILE, "utf-8")
            print(table(interleave(small_commands(file), 4 * options.rounds)))
    except (CorpusError, OSError) as error:
        print(f"speed.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
