"""The order of checks: imported files come before the files that import them, so that no file is opened twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from olympus_lint.project.discovery import SourceFile
from olympus_rules.syntax.imports import imports_in
from olympus_rules.syntax.project import locate, module_file

__all__ = ["imports_first"]


def imports_first(files: Sequence[tuple[SourceFile, bytes]]) -> list[SourceFile]:
    """Return files in an order in which imported files come first, except in circles.

    Args:
        files: each file with its bytes.
    """
    numbers = {str(Path(file.filename).absolute()): number for number, (file, _) in enumerate(files)}
    ordered: dict[int, None] = {}
    seen: set[int] = set()
    for start in range(len(files)):
        stack = [] if start in seen else [_visit(start, files, numbers, seen)]
        while stack:
            number, imported = stack[-1]
            following = next((other for other in imported if other not in seen), None)
            if following is not None:
                stack.append(_visit(following, files, numbers, seen))
                continue
            ordered.setdefault(number)
            stack.pop()
    return [files[number][0] for number in ordered]


def _visit(
    number: int, files: Sequence[tuple[SourceFile, bytes]], numbers: dict[str, int], seen: set[int]
) -> tuple[int, Iterator[int]]:
    seen.add(number)
    file, data = files[number]
    place = locate(Path(file.filename).absolute())
    names = (name for _, qualified in imports_in(data, place) for name in (qualified.rpartition(".")[0], qualified))
    paths = (module_file(place.roots, name) for name in names if name)
    return number, iter([numbers[str(path)] for path in paths if path is not None and str(path) in numbers])
