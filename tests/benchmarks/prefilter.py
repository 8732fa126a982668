"""Is nothing lost by the look at bytes? ``python tests/benchmarks/prefilter.py [PACKAGE ...]``

Files that cannot hold a key by their bytes are not analysed, and not opened when another file asks about them. The
command checks packages with that and without, with all rules and the default confidence, and prints what only one of
both reports. The exit status is 1 if there is something.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from packages import DEFAULT_CACHE, CorpusError, fetch, load_packages
from samples import python_files, with_keys

from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run import engine, one_file, runner
from olympus_lint.run.context import Mode
from olympus_rules.keyflow.linking import project

ALL = Settings(select=["ALL"])


@contextmanager
def unfiltered() -> Iterator[None]:
    """Analyse every file."""
    with ExitStack() as stack:
        for module in (engine, one_file, runner):
            stack.enter_context(patch.object(module, "worth_checking", lambda *_: True))
        stack.enter_context(patch.object(project, "may_hold_keys", lambda *_: True))
        yield


def told(files: Iterable[Path]) -> set[str]:
    """Return the findings and errors of files, each with its place."""
    results = runner.check_files([SourceFile(str(path), ALL) for path in files], Mode.CHECK, 1)
    said: set[str] = set()
    for result in results:
        said |= {f"{each.filename}:{each.span.start}: {each.code} {each.message}" for each in result.findings}
        said |= {str(error) for error in result.errors}
    return said


def differences(files: Iterable[Path]) -> list[str]:
    """Return what is reported with the look at bytes only, or without it only."""
    files = list(files)
    filtered = told(files)
    with unfiltered():
        every = told(files)
    return [f"{'with' if each in filtered else 'without'}: {each}" for each in sorted(filtered ^ every)]


def main(arguments: list[str] | None = None) -> int:
    """Compare, one package after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="default: all")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="where packages lie (%(default)s)")
    options = parser.parse_args(arguments)
    number = 0
    try:
        for package in load_packages(options.packages):
            files = python_files([fetch(package, options.cache.expanduser())])
            found = differences(files)
            number += len(found)
            print(f"{package.name}: {len(files)} files, {len(with_keys(files))} that can hold a key", flush=True)
            print("".join(f"  {each}\n" for each in found), end="", flush=True)
    except CorpusError as error:
        print(f"prefilter.py: {error}", file=sys.stderr)
        return 2
    print(f"{number} differences")
    return int(bool(number))


if __name__ == "__main__":
    sys.exit(main())
