"""Where the modules of a project lie on disk, so that a name that one imports from another can be followed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from olympus_rules.syntax.imports import ImportTable

__all__ = ["Location", "in_project", "locate", "reexported"]

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
SOURCE_FOLDER = "src"
IMPORT = re.compile(rb"^[ \t]*((?:from\s+[\w.]+\s+)?import\s+(?:\([^)]*\)|[^\n(]*))", re.MULTILINE)
STEPS = 10  # from module to module


class Location:
    """Where a file stands among modules.

    Attributes:
        module: its dotted name, empty for a script outside of packages.
        is_package: whether it is an ``__init__``.
        roots: the folders in which its absolute imports are looked for: the one that holds its outermost package, and
            those above it up to the project's, each with its ``src``.
    """

    def __init__(self, module: str, is_package: bool, roots: tuple[Path, ...]) -> None:
        """Take the parts."""
        self.module = module
        self.is_package = is_package
        self.roots = roots


def locate(path: Path) -> Location:
    """Return where a file stands; it need not exist."""
    parts: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.name:
        parts.insert(0, folder.name)
        folder = folder.parent
    is_package = path.stem == "__init__"
    if not is_package and parts:
        parts.append(path.stem)
    return Location(".".join(parts), is_package, tuple(_roots(folder)))


@lru_cache(maxsize=1024)
def _roots(folder: Path) -> list[Path]:
    found = [folder]
    for parent in (folder, *folder.parents):
        if any((parent / marker).exists() for marker in MARKERS):
            between = [folder, *folder.parents]
            found = between[: between.index(parent) + 1]
            break
    return [root for place in found for root in (place, place / SOURCE_FOLDER)]


@lru_cache(maxsize=8192)
def module_file(roots: tuple[Path, ...], module: str) -> Path | None:
    """Return the file of a module that lies under one of the folders, ``None`` for any other."""
    parts = module.split(".")
    holders = [root for root in roots if not _entries(root).isdisjoint((parts[0], f"{parts[0]}.py"))]
    return next((file for root in holders for file in _candidates(root, parts) if file.is_file()), None)


@lru_cache(maxsize=4096)
def _entries(folder: Path) -> frozenset[str]:
    """Return the names in a folder; one listing answers for all the modules that are not there."""
    try:
        return frozenset(entry.name for entry in folder.iterdir())
    except OSError:
        return frozenset()


def _candidates(root: Path, parts: list[str]) -> Iterator[Path]:
    yield root.joinpath(*parts, "__init__.py")
    yield root.joinpath(*parts[:-1], f"{parts[-1]}.py")


def reexported(roots: tuple[Path, ...], qualified: str) -> str | None:
    """Follow a name through modules of the project that import it from elsewhere.

    Args:
        roots: the folders in which absolute imports are looked for.
        qualified: for example ``pkg.compat.random.split``, where ``pkg/compat.py`` says ``from jax import random``.

    Returns:
        The name where it comes from (``jax.random.split``), ``None`` when no module of the project passes it on.
    """
    found: str | None = None
    for _ in range(STEPS):
        step = _step(roots, found or qualified)
        if step is None:
            break
        found = step
    return found


def in_project(roots: tuple[Path, ...], qualified: str) -> bool:
    """Say whether a name is one of a module under the folders."""
    return module_file(roots, qualified.partition(".")[0]) is not None


def _step(roots: tuple[Path, ...], qualified: str) -> str | None:
    parts = qualified.split(".")
    if not in_project(roots, qualified):
        return None
    for length in range(len(parts) - 1, 0, -1):
        file = module_file(roots, ".".join(parts[:length]))
        if file is not None:
            target = _imports(file).names.get(parts[length])
            return None if target is None else ".".join([target, *parts[length + 1 :]])
    return None


@lru_cache(maxsize=512)
def _imports(file: Path) -> ImportTable:
    """Return what a module imports, read without parsing the rest of it."""
    try:
        statements = IMPORT.findall(file.read_bytes())
        tree = ast.parse(b"\n".join(statements))
    except (OSError, SyntaxError, ValueError):
        return ImportTable({})
    place = locate(file)
    return ImportTable.from_module(tree, module=place.module, is_package=place.is_package)
