"""Time the linter against parsers and other linters on the same files: see README.md beside this file."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import rivals
from chart import bars, drawn
from packages import DEFAULT_CACHE, HERE, CorpusError, fetch, load_packages, program
from samples import copy_folders, middle, python_files, size_of, torch_copies, with_keys, write_repository
from timing import Command, Run, interleave

EACH = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for name in map(pathlib.Path, sys.argv[1:]):
    for path in name.rglob("*.py") if name.is_dir() else [name]:
        try:
            {does}
        except ({errors}):
            pass
"""
READ_ALL = EACH.format(does="path.read_bytes()", errors="IsADirectoryError")
PARSE_ALL = EACH.format(does="ast.parse(path.read_bytes())", errors="SyntaxError, ValueError, IsADirectoryError")
LIBCST_ALL = "import libcst\n" + EACH.format(
    does="libcst.parse_module(path.read_bytes())", errors="libcst.ParserSyntaxError, UnicodeError, IsADirectoryError"
)

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

OURS, PARSE = "olympus-lint", "ast.parse"
TWO, WARM, CHANGED, ALONE, DIFF, EDITED = (
    f"{OURS}, {how}"
    for how in (
        "two processes",
        "unchanged files",
        "one file changed",
        "that file alone",
        "--fix --diff",
        "after an edit",
    )
)
RUFF, RUFF_WARM, RUFF_ONE, RUFF_ONE_WARM = "ruff", "ruff, unchanged", "ruff, one rule", "ruff, one rule, unchanged"
FIXIT, TORCHFIX, PYLINT, LIBCST = "fixit, one rule", "flake8 with TorchFix", "pylint, one check", "libcst.parse_module"
SHOWN = {
    "corpus": (OURS, WARM, CHANGED, DIFF, RUFF, RUFF_ONE, RUFF_ONE_WARM),
    "slow": (LIBCST, FIXIT, TORCHFIX, PYLINT),
    "checkers": tuple(rivals.CHECKS),
}
"""The bars of the picture, by part."""
COPIES = (1, 2, 4, 8)
POOLED = (125_000, 250_000, 500_000, 1_000_000, 2_000_000)
"""Bytes that can hold keys, at about which one process is compared with two."""
EDITED_LINES = 1000
FEW = 3
"""Rounds of the parts that take long."""


@dataclass(frozen=True)
class Bench:
    """What is measured.

    Attributes:
        folders: the packages.
        rounds: how often each command is run.
        scratch: an empty folder.
        options: those of the command.
    """

    folders: Sequence[Path]
    rounds: int
    scratch: Path
    options: argparse.Namespace


@dataclass(frozen=True)
class Measured:
    """The medians of one part, and over what they were measured."""

    what: str
    runs: Mapping[str, Run]
    rounds: int


def linter(*words: object, jobs: int = 1) -> Command:
    """Return the command that checks files with all default rules."""
    shared = ["--jobs", str(jobs), "--exit-zero", "-q", "--no-respect-gitignore"]
    return Command([program("olympus-lint"), *shared, *map(str, words)])


def script(text: str, *words: object) -> Command:
    """Return the command that runs a Python program."""
    return Command([sys.executable, "-c", text, *map(str, words)])


def edit(file: Path, command: Command) -> Command:
    """Return a command that first adds a function to a file."""
    added = r'printf "\n\ndef _added_%s(key):\n    return key\n" "$$" >> "$0"; exec "$@"'
    return Command(["sh", "-c", added, str(file), *command.words])


def said(files: Sequence[Path]) -> str:
    return f"{len(files):,} files, {size_of(files) / 1e6:.1f} MB"


def corpus(bench: Bench) -> Measured:
    """Measure whole runs over the packages."""
    names, kept = [str(folder) for folder in bench.folders], bench.scratch
    (kept / "copy").mkdir()
    copied = copy_folders(bench.folders, kept / "copy")
    keyed = with_keys(python_files(copied))
    if not keyed:
        raise CorpusError("none of the files can hold a key; choose other packages")
    file = middle(keyed)
    commands = whole_runs(names, kept) | {
        CHANGED: edit(file, linter(*copied, "--cache-dir", kept / "changed")),
        ALONE: linter("--no-cache", file),
    }
    files = python_files(bench.folders)
    runs = interleave(commands, bench.rounds, first=[WARM, CHANGED, RUFF_WARM, RUFF_ONE_WARM])
    return Measured(f"{said(files)}; the changed file has {file.stat().st_size / 1e3:.0f} kB", runs, bench.rounds)


def whole_runs(names: Sequence[str], kept: Path) -> dict[str, Command]:
    """Return the commands over some files that are measured in several parts.

    Args:
        names: the files or folders.
        kept: the folder for their caches.
    """
    one = ("--select", "NPY002")
    return {
        "reading": script(READ_ALL, *names),
        PARSE: script(PARSE_ALL, *names),
        OURS: linter("--no-cache", *names),
        TWO: linter("--no-cache", *names, jobs=2),
        WARM: linter("--cache-dir", kept / "whole", *names),
        DIFF: linter("--fix", "--diff", *names),
        RUFF: rivals.ruff(names),
        RUFF_WARM: rivals.ruff(names, "--cache-dir", str(kept / "ruff")),
        RUFF_ONE: rivals.ruff(names, "--no-cache", *one),
        RUFF_ONE_WARM: rivals.ruff(names, "--cache-dir", str(kept / "ruff-one"), *one),
    }


def slow(bench: Bench) -> Measured:
    """Measure on some of the files what would take hours on all of them."""
    files = python_files(bench.folders)[:: bench.options.every]
    names = [str(path) for path in files]
    (bench.scratch / "torch").mkdir()
    copies = [str(path) for path in torch_copies(files, bench.scratch / "torch")]
    home = bench.options.rivals.expanduser()
    commands = {
        PARSE: script(PARSE_ALL, *names),
        LIBCST: script(LIBCST_ALL, *names),
        OURS: linter("--no-cache", *names),
        RUFF: rivals.ruff(names),
        FIXIT: rivals.fixit(home, names),
        TORCHFIX: rivals.torchfix(home, copies),
        PYLINT: rivals.pylint(home, names),
    }
    what = f"every {bench.options.every}th file: {said(files)}"
    return Measured(what, interleave(commands, bench.rounds), bench.rounds)


def checkers(bench: Bench) -> Measured:
    """Measure what follows values between functions and files, as type checkers do, on single packages.

    The sums of the packages are compared: mypy checks one package at a time.
    """
    sized = sorted(bench.folders, key=lambda folder: size_of(with_keys(python_files([folder]))))
    packages = [found for folder in sized[len(sized) // 2 :] for found in _imported(folder)][:2]
    home = bench.options.rivals.expanduser()
    runs = {}
    for package in packages:
        commands = {
            PARSE: script(PARSE_ALL, package),
            RUFF: rivals.ruff([str(package)]),
            OURS: linter("--no-cache", package),
            PYLINT: rivals.pylint(home, [str(package)]),
        } | {name: rivals.type_checker(name, home, str(package)) for name in rivals.CHECKS}
        found = interleave(commands, min(bench.rounds, FEW), first=[*rivals.CHECKS])
        runs |= {name: _sum(runs.get(name), run) for name, run in found.items()}
    what = f"{' and '.join(package.name for package in packages)}: {said(python_files(packages))}"
    return Measured(what, runs, min(bench.rounds, FEW))


def _imported(folder: Path) -> list[Path]:
    """Return the folder of a release that is imported, if it is named as the release is."""
    name = folder.name.partition("-")[0].replace("-", "_")
    return [path for path in (folder / name, folder / "src" / name) if (path / "__init__.py").is_file()][:1]


def _sum(before: Run | None, run: Run) -> Run:
    """Return what two runs cost together."""
    if before is None:
        return run
    return Run(before.wall + run.wall, before.cpu + run.cpu, max(before.peak, run.peak))


def copies(bench: Bench) -> Measured:
    """Measure 1, 2, 4 and 8 copies of the packages of median size."""
    sized = sorted(bench.folders, key=lambda folder: size_of(with_keys(python_files([folder]))))
    part = sized[len(sized) // 2 :][:2]
    commands = {}
    for count in COPIES:
        names = []
        for number in range(count):
            into = bench.scratch / f"{count}-{number}"
            into.mkdir()
            names += copy_folders(part, into)
        commands[copied(count)] = linter("--no-cache", *names)
        commands[copied(count, PARSE)] = script(PARSE_ALL, *names)
    rounds = min(bench.rounds, FEW)
    what = f"copies of {' and '.join(folder.name for folder in part)}: {said(python_files(part))} each"
    return Measured(what, interleave(commands, rounds), rounds)


def copied(count: int, name: str = OURS) -> str:
    return f"{name}, {count} {'copy' if count == 1 else 'copies'}"


def large(bench: Bench) -> Measured:
    """Measure a made-up repository: one project of many files, of which 5 % can hold a key."""
    root = bench.scratch / "large"
    write_repository(root, bench.options.files)
    commands = whole_runs([str(root)], bench.scratch)
    changed = root / "pkg0" / "part21.py"
    for name in (DIFF, RUFF_WARM, RUFF_ONE_WARM):
        del commands[name]
    commands[CHANGED] = edit(changed, commands[WARM])  # after the run without a change of the same round
    rounds = min(bench.rounds, FEW)
    return Measured(said(python_files([root])), interleave(commands, rounds, first=[WARM]), rounds)


def pool(bench: Bench) -> Measured:
    """Measure from how much work on a second process pays."""
    sizes = {folder: size_of(with_keys(python_files([folder]))) for folder in bench.folders}
    commands = {}
    for wanted in POOLED:
        folder = min(sizes, key=lambda each: abs(sizes[each] - wanted))
        for jobs in (1, 2):
            name = f"{folder.name}, {sizes[folder] / 1e6:.2f} MB, {jobs} process{'es' * (jobs - 1)}"
            commands[name] = linter("--no-cache", folder, jobs=jobs)
    return Measured("single packages, with the bytes of files that can hold a key", interleave(commands, FEW), FEW)


def editor(bench: Bench) -> Measured:
    """Measure the check of a file after an edit, in a project that is known, for files of about 1,000 lines."""
    chosen = []
    for folder in bench.folders:
        keyed = with_keys(python_files([folder]))
        lengths = {path: abs(path.read_bytes().count(b"\n") - EDITED_LINES) for path in keyed}
        chosen += sorted(((length, path) for path, length in lengths.items()), key=lambda each: each[0])[:1]
    files = [path for _, path in sorted(chosen, key=lambda each: each[0])[:5]]
    rounds = 2 * bench.rounds + 1
    command = [sys.executable, str(HERE / "keystrokes.py"), str(rounds), *map(str, files)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    checks, parses = (sum(each[number] for each in found.values()) for number in (0, 1))
    lines = [
        f"{path.name}: {path.read_bytes().count(10):,} lines, {check / parse:.1f} times"
        for path, (check, parse) in zip(files, found.values(), strict=True)
    ]
    runs = {EDITED: Run(checks, checks, 0.0), PARSE: Run(parses, parses, 0.0)}
    return Measured(f"CPU seconds of {len(files)} files together; {'; '.join(lines)}", runs, rounds)


def start(bench: Bench) -> Measured:
    """Measure what a run costs that has next to nothing to do."""
    file = bench.scratch / "small.py"
    file.write_text(SMALL_FILE, "utf-8")
    commands = {
        "one small file": linter("--no-cache", file),
        "the same, unchanged": linter("--cache-dir", bench.scratch / "kept", file),
        "--help": linter("--help"),
        "--version": linter("--version"),
        "import libcst": script("import libcst"),
        "python -c pass": script("pass"),
    }
    rounds = 4 * bench.rounds
    return Measured("a file of 13 lines", interleave(commands, rounds, first=[*commands]), rounds)


PARTS: dict[str, Callable[[Bench], Measured]] = {
    part.__name__: part for part in (corpus, slow, checkers, copies, large, pool, editor, start)
}


@dataclass(frozen=True)
class Aim:
    """A ratio of two commands of a part that is aimed at, and the quantity that is compared."""

    part: str
    over: str
    under: str
    most: float
    quantity: str = "cpu"


AIMS = [
    Aim("corpus", OURS, PARSE, 2.5),
    Aim("corpus", OURS, RUFF, 4),
    Aim("corpus", TWO, RUFF, 2.5, "wall"),
    Aim("corpus", WARM, RUFF_ONE_WARM, 2),
    Aim("slow", OURS, FIXIT, 1 / 40),
    Aim("slow", OURS, TORCHFIX, 1 / 100),
    Aim("slow", OURS, PYLINT, 1 / 15),
    Aim("copies", copied(8), copied(1), 8 * 1.1),
    Aim("editor", EDITED, PARSE, 3),
]


def aims(parts: Mapping[str, Any]) -> str:
    """Return the ratios that are aimed at, with what was measured."""
    lines = []
    for aim in AIMS:
        runs = parts.get(aim.part, {}).get("runs", {})
        if aim.over in runs and aim.under in runs:
            ratio = runs[aim.over][aim.quantity] / runs[aim.under][aim.quantity]
            at_most = f"at most {aim.most:g}" if aim.most >= 1 else f"at most 1/{1 / aim.most:g}"
            measured = f"{ratio:.2f}" if aim.most >= 1 else f"1/{1 / ratio:.1f}"
            lines.append(f"{aim.over} / {aim.under}, {aim.quantity}: {measured} (aim: {at_most})")
    runs, sample = (parts.get(name, {}).get("runs", {}) for name in ("corpus", "slow"))
    for name in (FIXIT, TORCHFIX, PYLINT) if runs else ():
        if name not in sample:
            continue
        times = sample[name]["cpu"] / sample[PARSE]["cpu"] / (runs[OURS]["cpu"] / runs[PARSE]["cpu"])
        lines.append(f"{OURS} on all files / {name}, by way of {PARSE} on each: 1/{times:.1f}")
    if runs:
        rest = runs[CHANGED]["cpu"] / (runs[WARM]["cpu"] + runs[ALONE]["cpu"])
        lines.append(f"{CHANGED} / ({WARM} + {ALONE}), cpu: {rest:.2f} (aim: at most 1.3)")
        lines.append(f"{OURS}, peak: {runs[OURS]['peak']:.0f} MiB (aim: at most 200)")
    return "\n".join(lines)


def table(runs: Mapping[str, Run], base: str = PARSE) -> str:
    """Return the medians as text, with the ratio to one of the commands where it is among them."""
    width = max(map(len, runs)) + 2
    against = f"{'x ' + base:>14}" if base in runs else ""
    lines = [f"{'median':{width}}{'wall s':>10}{'CPU s':>10}{'peak MiB':>10}{against}"]
    for name, run in runs.items():
        ratio = f"{run.cpu / runs[base].cpu:14.2f}" if base in runs else ""
        lines.append(f"{name:{width}}{run.wall:10.3f}{run.cpu:10.3f}{run.peak:10.1f}{ratio}")
    return "\n".join(lines)


def picture(parts: Mapping[str, Any]) -> str:
    """Return the bars of a measurement as SVG."""
    notes = [
        f"{name}: {part['what'].partition(';')[0]}, {part['rounds']} rounds, {part['date']}, {part['machine']}"
        for name, part in parts.items()
        if name in SHOWN
    ]
    return drawn(bars(parts, SHOWN), "CPU time as multiples of ast.parse of the same files", notes)


def machine() -> str:
    """Return what the seconds depend on."""
    version = subprocess.run([program("ruff"), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"Python {platform.python_version()}, {version}, {os.cpu_count()} cores, {platform.machine()}"


def keep(parts: Mapping[str, Any], output: Path) -> None:
    """Write a measurement as JSON, and its picture beside it."""
    output.write_text(json.dumps(parts, indent=1) + "\n", "utf-8")
    if SHOWN.keys() & parts.keys():
        output.with_suffix(".svg").write_text(picture(parts), "utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="speed.py", description=__doc__)
    parser.add_argument("--parts", nargs="+", default=[*PARTS], choices=PARTS, help="what to measure (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="where packages lie (%(default)s)")
    parser.add_argument("--packages", nargs="+", default=[], metavar="NAME", help="default: all")
    parser.add_argument("--folders", nargs="+", type=Path, default=[], help="measure these instead of the packages")
    parser.add_argument(
        "--every", type=int, default=60, help="which files slow linters get (default: each %(default)sth)"
    )
    parser.add_argument("--files", type=int, default=20_000, help="files of the made-up repository (%(default)s)")
    parser.add_argument("--rivals", type=Path, default=rivals.DEFAULT_FOLDER, help="where they are (%(default)s)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="JSON, and beside it an SVG; other parts in it stay"
    )
    options = parser.parse_args(arguments)
    if min(options.rounds, options.every, options.files) < 1:
        parser.error("--rounds, --every and --files have to be 1 or more")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 2 when a command fails."""
    options = parse(arguments)
    try:
        cache = options.cache.expanduser()
        folders = options.folders or [fetch(package, cache) for package in load_packages(options.packages)]
        known = json.loads(options.output.read_text("utf-8")) if options.output and options.output.exists() else {}
        for name in options.parts:
            with tempfile.TemporaryDirectory() as scratch:
                found = PARTS[name](Bench([*map(Path.absolute, folders)], options.rounds, Path(scratch), options))
            print(f"{name}: {found.what}; {found.rounds} rounds\n\n{table(found.runs)}\n", flush=True)
            known[name] = {
                "date": str(datetime.datetime.now(datetime.UTC).date()),
                "machine": machine(),
                "what": found.what,
                "rounds": found.rounds,
                "runs": {row: asdict(run) for row, run in found.runs.items()},
            }
            if options.output:
                keep(known, options.output)
        print(aims(known))
    except (CorpusError, OSError, subprocess.SubprocessError) as error:
        print(f"speed.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
