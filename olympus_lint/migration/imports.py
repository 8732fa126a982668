"""The modules of a project that a file imports."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from olympus_lint.embedded.module import read as read_pieces
from olympus_lint.files.sources import InputError, decode_utf8
from olympus_lint.files.validity import NOT_PARSED
from olympus_rules.code.names import dotted_name
from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.imports import bindings
from olympus_rules.syntax.project import Location, module_file
from olympus_rules.syntax.text import decode

LINE = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w[\w.]*)", re.MULTILINE)
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


def read_file(filename: str) -> bytes:
    """Return the bytes of a file; none if it cannot be read."""
    with suppress(OSError, ValueError):
        return disk.read(filename)
    return b""


def module_text(filename: str, data: bytes, kind: str) -> str:
    """Return the Python of a file; empty if it cannot be decoded."""
    with suppress(InputError, SyntaxError, ValueError, RecursionError):
        return decode(data) if kind == "python" else read_pieces(filename, decode_utf8(data), kind).text
    return ""


def imported_modules(
    text: str, place: Location, further: tuple[Path, ...] = (), *, strings: bool = False
) -> Iterator[tuple[int, str, Path]]:
    """Yield the modules of the project that a text imports: row, name and file.

    Args:
        text: the text of a module.
        place: where it stands.
        further: more folders in which its imports are looked for.
        strings: whether names of modules in strings count, such as those for ``import_module`` and ``mock.patch``.
    """
    for row, name, least in _names(text, place.module, is_package=place.is_package, strings=strings):
        for roots in (place.roots, further):
            module, file = longest_module(roots, name, least)
            if file is not None:
                yield row, module, file


@lru_cache(maxsize=2048)  # what is read along is asked for again by the search for files that import what changes
def _names(text: str, module: str, *, is_package: bool, strings: bool) -> tuple[tuple[int, str, int], ...]:
    """Return the qualified names that a text imports: row, name, and the least number of parts of a module in it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = ast.parse(text)
    except NOT_PARSED:  # it may be of a newer Python
        return tuple((text.count("\n", 0, each.start(1)) + 1, each[1], 1) for each in LINE.finditer(text))
    found = []
    for node in every_node(parsed):
        names: Sequence[str] = ()
        if isinstance(node, ast.Import):
            names = [name for alias in node.names for name in (alias.name, alias.name.partition(".")[0])]
        elif isinstance(node, ast.ImportFrom):
            names = [name for _, name in bindings(node, module=module, is_package=is_package)]
        elif strings and isinstance(node, ast.Constant) and isinstance(node.value, str):
            dotted = DOTTED.match(node.value)
            names = [dotted[0]] if dotted is not None else ()
        least = 2 if isinstance(node, ast.Constant) else 1
        found += [(getattr(node, "lineno", 1), name, least) for name in names]
    return tuple(found)


def longest_module(roots: tuple[Path, ...], name: str, least: int) -> tuple[str, Path | None]:
    """Return the module that a qualified name leads to, with its file, of at least so many parts."""
    parts = name.split(".")
    for length in range(len(parts), least - 1, -1):
        module = ".".join(parts[:length])
        file = module_file(roots, module) if all(parts) else None
        if file is not None:
            return module, file
    return name, None


def read_elsewhere(documents: Collection[Document]) -> dict[str, set[str]]:
    """Return the names that other files read from each file, by its path; a star stands for all of them."""
    found = defaultdict[str, set[str]](set)
    for document in documents:
        for qualified in set(_qualified_names(document)):
            module, _, name = qualified.rpartition(".")
            file = module_file(document.roots, module) if module else None
            if file is not None and str(file) != document.path:
                found[str(file)].add(name)
    return found


def _qualified_names(document: Document) -> Iterator[str]:
    """Yield the names that a file imports from modules, or reads as their attributes."""
    for node in every_node(document.tree):
        if isinstance(node, ast.ImportFrom):
            for local, qualified in bindings(node, module=document.module, is_package=document.is_package):
                yield f"{qualified}.*" if local == "*" else qualified
        elif isinstance(node, ast.Attribute):
            yield document.imports.resolve(dotted_name(node)) or ""
