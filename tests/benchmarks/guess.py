"""How many functions of installed packages can be traced with guessed arguments: see README.md beside this file."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from olympus.trials.modules import imported, quiet
from olympus.trials.names import is_key
from olympus.trials.search import Search
from olympus.trials.subject import Unfit, steps
from olympus.verdicts.question import Place, Question

PACKAGES = ("blackjax", "numpyro", "flax", "optax", "equinox", "distrax", "haiku", "diffrax")
COLUMNS = ("package", "key functions", "traced", "at the first guess", "reached a key operation", "seconds")


@dataclass
class Outcome:
    """What came of one function: whether it ended, whether at the first guess, whether a key was used in it."""

    name: str
    traced: bool = False
    first: bool = False
    reached: bool = False
    reason: str = ""


class Probe(Search):
    """Tries until a function has come to its end and a key was used in its own lines."""

    def __init__(self, namespace: dict[str, object], file: str, lines: range, outcome: Outcome) -> None:
        nowhere = Place(file, lines.start, 0, lines.start, 0)
        super().__init__(namespace, [Question("OLY104", nowhere)], {})
        self.file, self.lines, self.outcome, self.tries = file, lines, outcome, 0

    @property
    def over(self) -> bool:
        return (self.outcome.traced and self.outcome.reached) or super().over

    def learn(self, done) -> None:
        self.tries += 1
        if not done.error:
            self.outcome.traced = True
            self.outcome.first |= self.tries == 1
        own = (span for event in done.execution.lineage.events if event.keys for span in event.chain)
        self.outcome.reached |= any(span.file == self.file and span.line in self.lines for span in own)
        self.outcome.reason = self.outcome.reason or f"{done.error} [{done.text}]"


def functions(tree: ast.Module) -> Iterator[tuple[str, range]]:
    """Return the functions and methods of a module that have a parameter named like a key, and their lines."""

    def inside(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, range]]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from inside(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                own = node.args
                if any(is_key(each.arg) for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)):
                    yield f"{prefix}{node.name}", range(node.lineno, (node.end_lineno or node.lineno) + 1)

    return iter(dict(inside(tree.body, "")).items())  # of overloads, the last


def measured(package: str) -> list[Outcome]:
    """Try all functions of a package in this process."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    found = []
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        wanted = list(functions(tree))
        parts = path.relative_to(folder.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not wanted or path.stem.endswith("_test"):
            continue
        with quiet(str(path)):
            try:
                loaded = imported(path, module, (folder.parent,))
            except (Exception, SystemExit) as error:
                found += [Outcome(f"{module}:{name}", reason=f"import: {error}") for name, _ in wanted]
                continue
            for name, lines in wanted:
                outcome = Outcome(f"{module}:{name}")
                try:
                    Probe(vars(loaded), str(path), lines, outcome).verdicts(steps(loaded, name))
                except Unfit as error:
                    outcome.reason = str(error)
                found.append(outcome)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE")
    parser.add_argument("--functions", action="store_true", help="only functions of modules, no methods")
    parser.add_argument("--failures", action="store_true", help="list what was not reached, and why")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:  # packages do not share a process, in which one may change flags of JAX for the next
        (package,) = options.packages
        print(json.dumps([vars(outcome) for outcome in measured(package)]))
        return
    print("|".join(["", *(f" {column} " for column in COLUMNS), ""]))
    print("|" + " --- |" * len(COLUMNS))
    total: Counter[str] = Counter()
    for package in options.packages:
        started = time.perf_counter()
        done = subprocess.run([sys.executable, __file__, "--one", package], capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"| {package} | {done.stderr.strip().splitlines()[-1]} |")
            continue
        outcomes = [Outcome(**row) for row in json.loads(done.stdout.splitlines()[-1])]
        if options.functions:
            outcomes = [each for each in outcomes if "." not in each.name.rpartition(":")[2]]
        counts = Counter(
            functions=len(outcomes),
            traced=sum(each.traced for each in outcomes),
            first=sum(each.first for each in outcomes),
            reached=sum(each.reached for each in outcomes),
        )
        total += counts
        row(package, counts, f"{time.perf_counter() - started:.0f}")
        if options.failures:
            for each in outcomes:
                if not each.reached:
                    print(f"    {each.name} {'traced ' if each.traced else ''}{each.reason}")
    row("all", total, "")


def row(name: str, counts: Counter[str], seconds: str) -> None:
    numbers = [counts[each] for each in ("functions", "traced", "first", "reached")]
    shares = [str(numbers[0]), *(f"{each} ({each / max(numbers[0], 1):.0%})" for each in numbers[1:])]
    print(f"| {' | '.join([name, *shares, seconds])} |", flush=True)


if __name__ == "__main__":
    main()
