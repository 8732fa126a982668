"""Where the time of a check goes: ``python tests/benchmarks/hotspots.py PACKAGE ...``

It prints the shares of rooms, modules and functions in the time of one cold run in one process, imports left out, by
cProfile, which makes short functions look longer than they are.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
from collections import Counter
from pathlib import Path

from packages import DEFAULT_CACHE, fetch, load_packages
from samples import python_files
from speed import SMALL_FILE

from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Mode
from olympus_lint.run.engine import lint_text
from olympus_lint.run.runner import check_files

OWN = {"olympus_rules", "olympus_codemods", "olympus_lint", "olympus"}


def module_of(filename: str) -> str:
    """Return a file of the program by its package, and any other one by its name; built-in functions have none."""
    parts = Path(filename).parts
    starts = [number for number, part in enumerate(parts) if part in OWN]
    return "/".join(parts[starts[-1] :]) if starts else Path(filename).name


def room_of(module: str) -> str:
    """Return the folder of a module of the program, as far as two levels below the package."""
    parts = module.split("/")
    return "/".join(parts[: min(3, len(parts) - 1)]) if len(parts) > 1 else "Python and its library"


def shares(profile: cProfile.Profile) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return the seconds spent in rooms, modules and functions themselves.

    Those of a function written in C are counted for its callers, but for the parser, whose caller is `ast.parse`.
    """
    rooms, modules, functions = Counter[str](), Counter[str](), Counter[str]()

    def add(filename: str, name: str, seconds: float) -> None:
        module = module_of(filename)
        rooms[room_of(module)] += seconds
        modules[module] += seconds
        functions[f"{module}: {name}"] += seconds

    for (filename, _, name), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if filename != "~":
            add(filename, name, own)
        for (caller_file, _, caller), (_, _, part, _) in callers.items() if filename == "~" else ():
            add(caller_file, caller, part)
    return rooms, modules, functions


def main(arguments: list[str] | None = None) -> int:
    """Profile and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="where packages lie (%(default)s)")
    parser.add_argument("--most", type=int, default=20, help="lines of each list (%(default)s)")
    options = parser.parse_args(arguments)
    folders = [fetch(package, options.cache.expanduser()) for package in load_packages(options.packages)]
    files = [SourceFile(str(path), Settings()) for path in python_files(folders)]
    lint_text("first.py", SMALL_FILE, Settings())  # imports all that a check needs
    profile = cProfile.Profile()
    profile.runcall(lambda: list(check_files(files, Mode.CHECK, 1)))
    for title, seconds in zip(("rooms", "modules", "functions"), shares(profile), strict=True):
        print(f"\n{title}")
        for name, each in seconds.most_common(options.most):
            print(f"{each / seconds.total():7.1%}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
