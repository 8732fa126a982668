"""Mistakes that are put into released code, and how many of them are found: see README.md beside this file.

Usage: ``python tests/benchmarks/mutants.py --seed N [--rounds R] [--show K] [--keep FOLDER] FOLDER ...``

A mutant repeats a key by construction, whatever the rest of the project does: both draws take one variable, the first
one runs whenever the second does, and nothing binds the variable between them. A draw is a call of ``jax.random``, or
of a function of the project that surely draws from that parameter. The linter has no part in their choice.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutation.change import Mutant
from mutation.draws import Project, Source
from mutation.hiding import hidden
from mutation.repeating import mutants

CODES = "OLY104,OLY108"
ROOT = Path(__file__).parents[2]
LEVELS = ("likely", "certain")
ELSEWHERE = "drawing_elsewhere.py"


def written(source: Source, chosen: list[Mutant]) -> list[set[int]]:
    """Write mutants into a file, and into a new one beside it, and return the rows of each as they are now."""
    lines = [b"", *source.path.read_bytes().splitlines(keepends=True)]
    edits = sorted((edit for each in chosen for edit in each.edits), reverse=True)
    elsewhere = [text for row, _, _, text in edits if row == 0]
    for row, start, end, text in edits:
        if row:
            lines[row] = lines[row][:start] + text.encode() + lines[row][end:]
    source.path.write_bytes(b"".join(lines))
    if elsewhere:
        with (source.path.parent / ELSEWHERE).open("a") as beside:
            beside.write("\n\n".join(["import jax" if not beside.tell() else "", *elsewhere]))
    return [
        {at + sum(text.count("\n") for row, *_, text in edits if 0 < row <= at) for at in each.rows} for each in chosen
    ]


def chosen(project: Project, source: Source, choice: random.Random) -> list[Mutant]:
    """Return mutants of a file, at most one for each outermost function."""
    found: list[Mutant] = []
    for outer in source.tree.body:
        functions = [outer] if isinstance(outer, ast.FunctionDef) else getattr(outer, "body", [])
        for function in functions:
            if isinstance(function, ast.FunctionDef):
                several = list(mutants(project, source, function))
                if kinds := sorted({each.kind for each in several}):
                    kind = choice.choice(kinds)
                    one = choice.choice([each for each in several if each.kind == kind])
                    found.append(choice.choice(hidden(source, one, outer, len(found), choice)))
    return found


def findings(folder: Path) -> dict[tuple[str, int], str]:
    """Return the confidence of the surest finding about a repeated key, by file and row, related rows included."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    options = [
        "--no-cache",
        "--no-respect-gitignore",
        "--tests",
        "all",
        "--select",
        CODES,
        "--output-format",
        "json",
        ".",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "olympus_lint", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if "internal error" in done.stderr:  # what is not checked has no findings
        print(f"{folder.name}: {done.stderr}", file=sys.stderr)
    found: dict[tuple[str, int], str] = {}
    for each in json.loads(done.stdout):
        for at in (each, *each["related"]):
            place = os.path.normpath(folder / at["filename"]), at["location"]["row"]
            found[place] = min(found.get(place, each["confidence"]), each["confidence"])  # "certain" < "likely"
    return found


def tried(folder: Path, seed: int, keep: Path | None = None) -> list[tuple[str, int, Mutant, str]]:
    """Return the mutants of a package, each with its file, row and the confidence with which it is found."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = (keep / str(seed) if keep else Path(scratch)) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "*.ipynb"), symlinks=True)
        choice = random.Random(f"{seed} {folder.name}")
        before, project = findings(copy), Project(copy)
        made = [
            (source, several) for source in project.sources.values() if (several := chosen(project, source, choice))
        ]
        placed = [
            (source.path, rows, each)
            for source, several in made
            for each, rows in zip(several, written(source, several), strict=True)
        ]
        after = findings(copy) if placed else {}
        return [
            (str(path.relative_to(copy.parent)), max(rows), each, surest(after, path, rows))
            for path, rows, each in placed
            if not surest(before, path, each.rows)
        ]


def surest(found: dict[tuple[str, int], str], path: Path, rows: Iterable[int]) -> str:
    """Return the highest confidence of what is found in some rows of a file; empty where nothing is."""
    return min((level for row in rows if (level := found.get((str(path), row)))), default="")


def table(results: list[tuple[str, int, Mutant, str]], heading: str, names: list[str]) -> None:
    """Print the shares that are found, by what names the mutants have."""
    for name, group in sorted(Counter(names).items()):
        levels = [level for (*_, level), of in zip(results, names, strict=True) if of == name]
        shares = [sum(level in LEVELS[k:] for level in levels) / group for k in (0, 1)]
        print(f"{heading:5} {name:9} {group:5} mutants  likely {shares[0]:6.1%}  certain {shares[1]:6.1%}")


def main() -> int:
    """Print the share of mutants that are found, by change and by way of hiding; return 1 if it is too small."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=1, help="how often each package is mutated anew (%(default)s)")
    parser.add_argument("--show", type=int, default=10, help="missed mutants to show (%(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the mutated packages stay")
    options = parser.parse_args()
    rounds = [
        (folder.resolve(), options.seed + number) for number in range(options.rounds) for folder in options.folders
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tries = pool.map(lambda one: tried(*one, options.keep), rounds)
        results = [each for several in tries for each in several]
    table(results, "kind", [mutant.kind for _, _, mutant, _ in results])
    table(results, "way", [mutant.way for _, _, mutant, _ in results])
    table(results, "all", [""] * len(results))
    missed = [(file, row, mutant) for file, row, mutant, level in results if level not in LEVELS]
    for file, row, mutant in random.Random(options.seed).sample(missed, min(options.show, len(missed))):
        print(f"missed: {mutant.kind} {mutant.way} {file}:{row}")
    certain = sum(level == "certain" for *_, level in results)
    return int(len(missed) > 0.05 * len(results) or certain < 0.8 * len(results))


if __name__ == "__main__":
    sys.exit(main())
