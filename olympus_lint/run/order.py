"""The order of checks: imported files come before the files that import them, so that no file is opened twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from olympus_lint.project.discovery import SourceFile
from olympus_rules.syntax.project import Location, locate, module_file

__all__ = ["imports_first"]

# a mistaken match, such as in a string, only makes the order worse
IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#(]*)|import[ \t]+([\w., \t]+))", re.M
)
NAME = re.compile(rb"(?:^|,|\()\s*([A-Za-z_]\w*)")


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
    paths = (module_file(place.roots, module) for module in _modules(data, place))
    return number, iter([numbers[str(path)] for path in paths if path is not None and str(path) in numbers])


def _modules(data: bytes, place: Location) -> Iterator[str]:
    """Yield the names of the modules that the lines of a file import."""
    for source, names, plain in IMPORT.findall(data):
        if plain:
            yield from (name.split()[0] for name in plain.decode().split(",") if name.strip())
            continue
        base = source.decode()
        dots = len(base) - len(base.lstrip("."))
        if dots:
            parts = place.module.split(".") if place.module else []
            climb = dots - place.is_package
            parts = parts[: len(parts) - climb] if climb else parts
            base = ".".join([*parts, *filter(None, [base[dots:]])])
        if base:
            yield base
            yield from (f"{base}.{name.decode()}" for name in NAME.findall(names))
