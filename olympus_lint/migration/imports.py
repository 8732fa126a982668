"""The modules of a project that a file imports."""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from olympus_lint.embedded.module import read as read_pieces
from olympus_lint.files.sources import InputError, decode_utf8
from olympus_lint.files.validity import NOT_PARSED
from olympus_rules.syntax.imports import bindings
from olympus_rules.syntax.project import Location, module_file
from olympus_rules.syntax.text import decode

__all__ = ["imported_modules", "module_text", "read_file"]

LINE = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w[\w.]*)", re.MULTILINE)
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


def read_file(filename: str) -> bytes:
    """Return the bytes of a file; none if it cannot be read."""
    with suppress(OSError):
        return Path(filename).read_bytes()
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = ast.parse(text)
    except NOT_PARSED:  # it may be of a newer Python
        for found in LINE.finditer(text):
            module, file = longest_module(place.roots, found[1], 1)
            if file is not None:
                yield text.count("\n", 0, found.start(1)) + 1, module, file
        return
    for node in ast.walk(parsed):
        names: Sequence[str] = ()
        if isinstance(node, ast.Import):
            names = [name for alias in node.names for name in (alias.name, alias.name.partition(".")[0])]
        elif isinstance(node, ast.ImportFrom):
            names = [name for _, name in bindings(node, module=place.module, is_package=place.is_package)]
        elif strings and isinstance(node, ast.Constant) and isinstance(node.value, str):
            dotted = DOTTED.match(node.value)
            names = [dotted[0]] if dotted is not None else ()
        least = 2 if isinstance(node, ast.Constant) else 1
        for roots, name in itertools.product((place.roots, further), names):
            module, file = longest_module(roots, name, least)
            if file is not None:
                yield getattr(node, "lineno", 1), module, file


def longest_module(roots: tuple[Path, ...], name: str, least: int) -> tuple[str, Path | None]:
    """Return the module that a qualified name leads to, with its file, of at least so many parts."""
    parts = name.split(".")
    for length in range(len(parts), least - 1, -1):
        module = ".".join(parts[:length])
        file = module_file(roots, module) if all(parts) else None
        if file is not None:
            return module, file
    return name, None
