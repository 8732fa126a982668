"""Where the modules of a project lie on disk, so that a name that one imports from another can be followed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from olympus_rules.syntax import disk

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
SOURCE_FOLDER = "src"
TEST_FOLDERS = frozenset({"tests", "test", "testing"})


@dataclass(frozen=True, slots=True)
class Location:
    """Where a file stands among modules.

    Attributes:
        module: its dotted name, empty for a script outside of packages.
        is_package: whether it is an ``__init__``.
        roots: the folders in which its absolute imports are looked for: the one that holds its outermost package, and
            those above it up to the project's, each with its ``src``.
    """

    module: str
    is_package: bool
    roots: tuple[Path, ...]


def locate(path: Path, further: tuple[Path, ...] = ()) -> Location:
    """Return where a file stands; it need not exist.

    Args:
        path: its absolute path.
        further: folders of other projects, in which imports are looked for after those of its own project.
    """
    package, roots = _package(path.parent)
    is_package = path.stem == "__init__"
    module = f"{package}.{path.stem}" if package and not is_package else package
    return Location(module, is_package, _nearest(path.parent, roots, further) if further else roots)


def is_test(path: Path) -> bool:
    """Return whether a file holds tests, by its name or that of a folder of its project around it.

    Args:
        path: its absolute path.
    """
    stem = path.stem
    if stem.startswith("test_") or stem.endswith("_test") or stem == "conftest":
        return True
    project = min(locate(path).roots, key=lambda root: len(root.parts))
    return not TEST_FOLDERS.isdisjoint(path.parent.relative_to(project).parts)


@lru_cache(maxsize=4096)
def _nearest(folder: Path, roots: tuple[Path, ...], further: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the roots of a folder, then the further ones, those with the longest common path first."""
    above = (folder, *folder.parents)

    def steps(root: Path) -> int:
        return next((number for number, each in enumerate(above) if root.is_relative_to(each)), len(above))

    return (*roots, *sorted((root for root in further if root not in roots), key=lambda root: (steps(root), root)))


def import_roots(paths: Iterable[Path], reserved: Collection[str] = ()) -> tuple[Path, ...]:
    """Return the folders in which files of other projects may find these files by an absolute import.

    A folder without a marker, such as one of examples, counts only if none of its modules has the name of a library:
    other projects mean the library.

    Args:
        paths: the absolute paths of Python files.
        reserved: the names of libraries.
    """
    folders = {path.parent: path for path in paths}
    found: dict[Path, None] = {}
    for folder in folders:
        own = [root for root in _package(folder)[1] if folder.is_relative_to(root)]
        found.update(dict.fromkeys([*own, *(each for each in folder.parents if each.name == SOURCE_FOLDER)]))
    shared = _shared(list(folders))
    if shared is not None and not _has_init(shared):
        found[shared] = None
    return tuple(root for root in found if root == shared or _is_marked(root) or not _shadows(root, reserved))


def has_marker(folder: Path) -> bool:
    """Say whether a folder is the root of a project, as a file or folder in it shows."""
    return any(disk.exists(folder / marker) for marker in MARKERS)


def project_of(folder: Path) -> Path | None:
    """Return the root of the project in which a folder lies, ``None`` if no folder above is one."""
    return next(filter(has_marker, (folder, *folder.parents)), None)


def _shared(folders: list[Path]) -> Path | None:
    """Return the innermost folder that holds all of these folders."""
    above = [{folder, *folder.parents} for folder in folders]
    common = set.intersection(*above) if above else set()
    return max(common, key=lambda folder: len(folder.parts), default=None)


def _is_marked(root: Path) -> bool:
    """Say whether a folder is the root of a project, or a folder of sources."""
    return root.name == SOURCE_FOLDER or has_marker(root)


def _shadows(root: Path, reserved: Collection[str]) -> bool:
    """Say whether a module of a folder has the name of a library."""
    names = {name.removesuffix(".py") for name in _entries(root)}
    return any(module_file((root,), name) for name in names.intersection(sys.stdlib_module_names.union(reserved)))


@lru_cache(maxsize=4096)
def _package(folder: Path) -> tuple[str, tuple[Path, ...]]:
    """Return the dotted name of a folder, empty for one that is no package, and where its imports are looked for."""
    parts: list[str] = []
    beside: list[Path] = []  # a folder of a package without an `__init__`: modules of the package, or scripts
    while folder.name and (_has_init(folder) or _has_init(folder.parent)):
        beside += [] if _has_init(folder) else [folder]
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), (*beside, *_roots(folder))


def _has_init(folder: Path) -> bool:
    """Return whether a folder is a package; the root of a project is none, whatever lies in it."""
    is_named = folder.name.isidentifier() and disk.is_file(folder / "__init__.py")
    return is_named and not has_marker(folder)


@lru_cache(maxsize=1024)
def _roots(folder: Path) -> list[Path]:
    found = [folder]
    for parent in (folder, *folder.parents):
        if any(disk.exists(parent / marker) for marker in MARKERS):
            between = [folder, *folder.parents]
            found = between[: between.index(parent) + 1]
            break
    return [root for place in found for root in (place, place / SOURCE_FOLDER)]


@lru_cache(maxsize=8192)
def module_file(roots: tuple[Path, ...], module: str) -> Path | None:
    """Return the file of a module that lies under one of the folders, ``None`` for any other."""
    parts = module.split(".")
    holders = [root for root in roots if not _entries(root).isdisjoint((parts[0], f"{parts[0]}.py"))]
    return next((file for root in holders for file in _candidates(root, parts) if disk.is_file(file)), None)


@lru_cache(maxsize=4096)
def _entries(folder: Path) -> frozenset[str]:
    """Return the names in a folder; one listing answers for all the modules that are not there."""
    try:
        return disk.names(folder)
    except OSError:
        return frozenset()


def _candidates(root: Path, parts: list[str]) -> Iterator[Path]:
    yield root.joinpath(*parts, "__init__.py")
    yield root.joinpath(*parts[:-1], f"{parts[-1]}.py")


def locate_name(roots: tuple[Path, ...], qualified: str) -> tuple[Path, str] | None:
    """Return the file of the project that a qualified name leads to, and the rest of the name.

    Args:
        roots: the folders in which absolute imports are looked for.
        qualified: for example ``pkg.models.Encoder.init``, which is ``Encoder.init`` in ``pkg/models.py``. What
            follows an ``@``, the class that inherits a method, stays with the rest.

    Returns:
        ``None`` for what is no part of the project, and for modules themselves.
    """
    plain, at, heir = qualified.partition("@")
    parts = plain.split(".")
    if not in_project(roots, plain) and not is_namespace(roots, parts[0]):
        return None
    for length in range(len(parts) - 1, 0, -1):
        file = module_file(roots, ".".join(parts[:length]))
        if file is not None:
            return file, ".".join(parts[length:]) + at + heir
    return None


def in_project(roots: tuple[Path, ...], qualified: str) -> bool:
    """Return whether a name is one of a module under the folders."""
    return module_file(roots, qualified.partition(".")[0]) is not None


@lru_cache(maxsize=1024)
def is_namespace(roots: tuple[Path, ...], name: str) -> bool:
    """Return whether a name is that of a folder in one of several, as a package without an ``__init__`` is."""
    return any(name in _entries(root) and disk.is_folder(root / name) for root in roots)


def forget_folders() -> None:
    """Forget what folders hold; files may have come and gone since."""
    for remembered in (_package, _roots, _nearest, module_file, is_namespace, _entries):
        remembered.cache_clear()
