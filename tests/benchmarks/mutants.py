"""Mistakes that are put into released code, and how many of them are found: see README.md beside this file.

Usage: ``python tests/benchmarks/mutants.py --seed N [--rounds R] [--show K] FOLDER ...``

A mutant repeats a key by construction, whatever the rest of the project does: both draws are calls of ``jax.random``
on one variable, the first one runs whenever the second does, and nothing binds the variable between them. The linter
has no part in their choice, which looks at the text of one function alone.
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
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRAWS = frozenset(
    """
    ball bernoulli beta binomial bits categorical cauchy chisquare choice dirichlet double_sided_maxwell exponential f
    gamma generalized_normal geometric gumbel laplace loggamma logistic lognormal maxwell multivariate_normal normal
    orthogonal pareto permutation poisson rademacher randint rayleigh split t triangular truncated_normal uniform wald
    weibull_min
    """.split()  # noqa: SIM905 (a list of strings would have 38 lines)
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LAZY = (*SCOPES, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.IfExp, ast.BoolOp, ast.Compare)
"""What may leave a part of it out, or run it later."""
LEVELS = ("likely", "certain")
Steps = tuple[tuple[int, int], ...]
"""The blocks around a statement, each with the number of the statement in it."""


@dataclass(frozen=True)
class Draw:
    """A call of ``jax.random`` on a variable, in a statement that surely runs it.

    Attributes:
        name: the variable.
        node: its mention.
        row: where the call starts.
        path: the blocks around the statement, each with the number of the statement in it.
        statement: the statement.
    """

    name: str
    node: ast.Name
    row: int
    path: Steps
    statement: ast.stmt


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        kind: ``again`` draws from a used key, ``kept`` leaves out a split between two draws, ``loop`` leaves out the
            split of a loop.
        row: where the second draw is.
        edit: row, first and last column, and the new text.
    """

    kind: str
    row: int
    edit: tuple[int, int, int, str]


class Names:
    """What a file calls the functions of ``jax.random``, by its imports alone."""

    def __init__(self, tree: ast.Module) -> None:
        """Read the imports at any place in the file."""
        self.modules: set[str] = set()
        self.functions: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.modules |= {f"{a.asname or 'jax'}.random" for a in node.names if a.name == "jax"}
                self.modules |= {a.asname or "jax.random" for a in node.names if a.name == "jax.random"}
            elif isinstance(node, ast.ImportFrom) and node.module == "jax" and not node.level:
                self.modules |= {a.asname or a.name for a in node.names if a.name == "random"}
            elif isinstance(node, ast.ImportFrom) and node.module == "jax.random" and not node.level:
                self.functions |= {a.asname or a.name: a.name for a in node.names}

    def called(self, node: ast.expr) -> str:
        """Return the name of a function of ``jax.random``; empty for any other callee."""
        if isinstance(node, ast.Name):
            return self.functions.get(node.id, "")
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in self.modules:
            return node.attr
        return ""


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks in a statement."""
    for name in ("body", "orelse", "finalbody"):
        yield from [block] if (block := getattr(statement, name, [])) else []
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def surely(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a simple statement that run whenever it does."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, LAZY):
            yield from surely(child)


def statements(body: list[ast.stmt], path: Steps = ()) -> Iterator[tuple[ast.stmt, Steps]]:
    """Yield the statements of a function with their paths; those in a ``try`` may be left before their end."""
    for number, statement in enumerate(body):
        here = (*path, (id(body), number))
        yield statement, here
        if not isinstance(statement, (*SCOPES, ast.Try)):
            for block in blocks(statement):
                yield from statements(block, here)


def draws(function: ast.FunctionDef, names: Names) -> list[Draw]:
    """Return the draws of a function that its statements surely run."""
    found = []
    for statement, path in statements(function.body):
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return | ast.AugAssign):
            for node in surely(statement):
                match node:
                    case ast.Call(func=callee, args=[ast.Name(id=name) as key, *_]) if names.called(callee) in DRAWS:
                        found.append(Draw(name, key, node.lineno, path, statement))
    return found


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements bind, and those that their inner functions may."""
    every = [part for node in nodes for part in ast.walk(node)]
    names = {part.id for part in every if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    names |= {name for part in every if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}
    names |= {
        part.name
        for part in every
        if isinstance(part, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and part.name
    }
    names |= {(a.asname or a.name) for p in every if isinstance(p, ast.Import | ast.ImportFrom) for a in p.names}
    return names | {part.name or "" for part in every if isinstance(part, ast.MatchAs | ast.MatchStar)}


def comes_before(first: Draw, again: Draw) -> bool:
    """Return whether the first draw runs whenever the second one does, and in front of it."""
    (*outer, (block, number)) = first.path
    at = again.path[len(outer)] if len(again.path) > len(outer) else (0, 0)
    return list(again.path[: len(outer)]) == outer and at[0] == block and at[1] > number


def between(function: ast.FunctionDef, first: Draw, again: Draw) -> list[ast.stmt]:
    """Return the statements from the first draw to the second one, its own one not included.

    Of a loop around the second draw, all of it: another turn may bind a name before the draw.
    """
    depth = len(first.path) - 1
    found: list[ast.stmt] = []
    for statement, path in statements(function.body):
        beside = path[:depth] == first.path[:depth] and len(path) == depth + 1 and path[-1][0] == first.path[-1][0]
        if beside and first.path[-1][1] <= path[-1][1] <= again.path[depth][1] and statement is not again.statement:
            found.append(statement)
    return found


def replaced(node: ast.expr, text: str) -> tuple[int, int, int, str]:
    """Return the edit that replaces an expression on one line."""
    assert node.end_col_offset is not None
    return node.lineno, node.col_offset, node.end_col_offset, text


def mutants(function: ast.FunctionDef, names: Names) -> Iterator[Mutant]:
    """Yield the mutants of a function."""
    found = draws(function, names)
    shared = bound(node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    pairs = [(first, again) for first in found for again in found if comes_before(first, again)]
    for first, again in pairs:
        written = bound(between(function, first, again))
        if first.name != again.name and first.name not in written | shared:
            yield Mutant("again", again.row, replaced(again.node, first.name))
    for first, again in pairs:
        if first.name == again.name and first.name not in shared:
            yield from _kept(function, names, first, again)
    for statement, _ in statements(function.body):
        if isinstance(statement, ast.For) and not any(isinstance(part, ast.Break) for part in ast.walk(statement)):
            yield from _loop(statement, found, names)


def _split(statement: ast.stmt, names: Names) -> tuple[str, str, ast.expr] | None:
    """Return the names of ``key, sub = split(key)`` and its right side; ``None`` for any other statement."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=sub)])],
            value=ast.Call(func=callee, args=[ast.Name(id=parent)], keywords=[]) as value,
        ) if key == parent and sub != key and names.called(callee) == "split" and value.lineno == value.end_lineno:
            return key, sub, value
    return None


def _kept(function: ast.FunctionDef, names: Names, first: Draw, again: Draw) -> Iterator[Mutant]:
    """Yield the mutant that leaves out the one split between two draws from one name."""
    inner = between(function, first, again)
    made = [(each, split) for each in inner if (split := _split(each, names)) and split[1] == first.name]
    if len(made) == 1 and first.name not in bound(each for each in inner if each is not made[0][0]):
        key, sub, value = made[0][1]
        yield Mutant("kept", again.row, replaced(value, f"{key}, {sub}"))


def _loop(loop: ast.For, found: list[Draw], names: Names) -> Iterator[Mutant]:
    """Yield the mutants of a loop that splits its key in every turn."""
    for number, statement in enumerate(loop.body):
        split = _split(statement, names)
        rest = bound(each for each in (*loop.body, loop.target) if each is not statement)
        if split is None or rest & {split[0], split[1]}:
            continue
        for draw in found:
            if draw.name == split[1] and draw.path[-1][0] == id(loop.body) and draw.path[-1][1] > number:
                yield Mutant("loop", draw.row, replaced(split[2], f"{split[0]}, {split[0]}"))
                break


def mutated(path: Path, choice: random.Random) -> list[Mutant]:
    """Write mutants into a file, at most one into each outermost function, and return them."""
    try:
        data = path.read_bytes()
        tree = ast.parse(data)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    names, chosen = Names(tree), []
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for part in ast.walk(node)
        if part is not node
    }
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and id(function) not in inner:
            several = list(mutants(function, names))
            kinds = sorted({each.kind for each in several})
            if kinds:
                kind = choice.choice(kinds)
                chosen.append(choice.choice([each for each in several if each.kind == kind]))
    lines = data.splitlines(keepends=True)
    for row, start, end, text in sorted((each.edit for each in chosen), reverse=True):
        lines[row - 1] = lines[row - 1][:start] + text.encode() + lines[row - 1][end:]
    if chosen:
        path.write_bytes(b"".join(lines))
    return chosen


def findings(folder: Path) -> dict[tuple[str, int], str]:
    """Return the confidence of the surest finding about a repeated key, by file and row, related rows included."""
    paths = [str(ROOT / name) for name in (".", "rules", "codemods", "runtime")]
    options = ["--no-cache", "--no-respect-gitignore", "--select", "OLY104,OLY108", "--output-format", "json", "."]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "olympus_lint", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    found: dict[tuple[str, int], str] = {}
    for each in json.loads(done.stdout):
        for at in (each, *each["related"]):
            place = os.path.normpath(folder / at["filename"]), at["location"]["row"]
            found[place] = min(found.get(place, each["confidence"]), each["confidence"])  # "certain" < "likely"
    return found


def tried(folder: Path, seed: int) -> list[tuple[str, Mutant, str]]:
    """Return the mutants of a package in one round, each with its file and the confidence with which it is found."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "*.ipynb"), symlinks=True)
        choice = random.Random(f"{seed} {folder.name}")
        before = findings(copy)
        made = [(path, each) for path in sorted(copy.rglob("*.py")) for each in mutated(path, choice)]
        after = findings(copy) if made else {}
        fresh = [(path, each) for path, each in made if (str(path), each.row) not in before]
        return [(str(path.relative_to(scratch)), each, after.get((str(path), each.row), "")) for path, each in fresh]


def main() -> int:
    """Print the share of mutants that are found, by kind; return 1 if it is too small."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=1, help="how often each package is mutated anew (%(default)s)")
    parser.add_argument("--show", type=int, default=10, help="missed mutants to show (%(default)s)")
    options = parser.parse_args()
    rounds = [
        (folder.resolve(), options.seed + number) for number in range(options.rounds) for folder in options.folders
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [each for several in pool.map(lambda one: tried(*one), rounds) for each in several]
    found = Counter((mutant.kind, confidence) for _, mutant, confidence in results)
    for kind in ("again", "kept", "loop", "all"):
        counts = [
            sum(n for (of, level), n in found.items() if kind in (of, "all") and level in LEVELS[k:]) for k in (0, 1)
        ]
        total = sum(n for (of, _), n in found.items() if kind in (of, "all"))
        if total:
            print(f"{kind:6} {total:5} mutants  likely {counts[0] / total:6.1%}  certain {counts[1] / total:6.1%}")
    missed = [(file, mutant) for file, mutant, confidence in results if not confidence]
    for file, mutant in random.Random(options.seed).sample(missed, min(options.show, len(missed))):
        print(f"missed: {mutant.kind} {file}:{mutant.row} {mutant.edit}")
    certain = sum(level == "certain" for _, _, level in results)
    return int(len(missed) > 0.05 * len(results) or certain < 0.8 * len(results))


if __name__ == "__main__":
    sys.exit(main())
