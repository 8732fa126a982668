"""Files outside of a migration that import what it changes, and imports that may mean several of its files."""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.migration.imported_files import FIXTURES, settings_of
from olympus_lint.migration.imports import imported_modules, module_text, read_file
from olympus_lint.project.discovery import walk
from olympus_lint.project.git import repository_of
from olympus_lint.project.gitignore import GitIgnore
from olympus_lint.project.settings import Settings
from olympus_rules.syntax.project import import_roots, locate, module_file, project_of

if TYPE_CHECKING:
    from olympus_lint.migration.text import Text

MOST_FOLDERS = 5_000
MOST_FILES = 20_000
MOST_BYTES = 10_000_000
"""Limits of the search: folders, files in them, and bytes of files that are parsed."""


@dataclass(frozen=True, slots=True, order=True)
class Unread:
    """A folder or file that was not named, and imports what the migration changes.

    Attributes:
        path: its path; that of a folder ends with a slash.
        imports: a module that it imports.
        filename: the file with the import.
        row: the row of the import.
    """

    path: str
    imports: str
    filename: str
    row: int


@dataclass(frozen=True, slots=True, order=True)
class Doubt:
    """An import that may mean several files.

    Attributes:
        filename, row: its place.
        module: the name of the module.
        paths: the files; the first one was read.
    """

    filename: str
    row: int
    module: str
    paths: tuple[str, ...]


@dataclass(slots=True)
class Outside:
    """What lies outside of a migration.

    Attributes:
        unread: folders and files that were not named, and import what it changes.
        doubts: imports that may mean several files.
        is_cut_short: whether the search for importing files reached its limits.
    """

    unread: list[Unread] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    is_cut_short: bool = False


def look_outside(
    texts: Sequence[Text],
    further: tuple[Path, ...],
    settings_at: Callable[[Path], Settings],
    keyed: Sequence[str] = (),
) -> Outside:
    """Return which files that were not named import what a migration changes.

    Args:
        texts: the files of the migration, with their old and new texts.
        further: the folders in which files of one project find those of another.
        settings_at: the settings of a folder.
        keyed: the files with constructors.
    """
    files = {os.path.realpath(text.filename): text for text in texts}
    search = _Search(files, further, settings_at)
    changed = {path for path, text in files.items() if text.new != text.old}
    doubts = search.doubts(changed.union(map(os.path.realpath, keyed)))
    unread = sorted(search.unread(search.dependent(changed))) if changed else []
    return Outside(unread, doubts, search.is_cut_short)


class _Search:
    """The search for files that import those of a migration.

    Attributes:
        is_cut_short: whether it reached its limits.
    """

    def __init__(
        self, files: dict[str, Text], further: tuple[Path, ...], settings_at: Callable[[Path], Settings]
    ) -> None:
        """Take the files of the migration by their real path."""
        self.is_cut_short = False
        self._files = files
        self._further = further
        self._settings_at = settings_at
        self._imports: dict[str, list[tuple[int, str, Path]]] | None = None
        self._parsed = 0
        self._wider: tuple[Path, ...] = ()

    # imports between the files of the migration

    def imports(self) -> dict[str, list[tuple[int, str, Path]]]:
        """Return the imports of each file of the migration: row, module and file."""
        if self._imports is None:
            self._imports = {}
            for path, text in self._files.items():
                place = locate(Path(text.filename).absolute(), self._further)
                self._imports[path] = list(imported_modules(text.old, place))
        return self._imports

    def dependent(self, changed: set[str]) -> set[str]:
        """Return the changed files and those that import them, directly or not."""
        importing: dict[str, set[str]] = defaultdict(set)
        for path, imported in self.imports().items():
            for _, _, file in imported:
                importing[os.path.realpath(file)].add(path)
        waiting, found = list(changed), set(changed)
        while waiting:
            for path in importing[waiting.pop()] - found:
                found.add(path)
                waiting.append(path)
        return found

    def doubts(self, keyed: set[str]) -> list[Doubt]:
        """Return the imports that no project resolves by itself and that may mean several files with keys."""
        found = set()
        for path, imported in self.imports().items() if len(self._further) > 1 else ():
            text = self._files[path]
            own = locate(Path(text.filename).absolute()).roots
            for row, module, file in imported:
                if module_file(own, module) is not None:
                    continue
                others = {os.path.realpath(other) for root in self._further if (other := module_file((root,), module))}
                if len(others) > 1 and not keyed.isdisjoint(others):
                    first = os.path.realpath(file)
                    paths = (first, *sorted(others - {first}))
                    found.add(Doubt(text.filename, row, module, tuple(map(_shown, paths))))
        return sorted(found)

    # files that were not named

    def unread(self, wanted: set[str]) -> Iterator[Unread]:
        """Yield the folders and files that import one of the wanted files, directly or through each other."""
        holding = {folder for path in self._files for folder in Path(path).parents}
        others = {os.path.realpath(filename): filename for filename in self._others()}
        modules = (Path(path).absolute() for path in others.values() if path.endswith((".py", ".pyi")))
        self._wider = tuple(root for root in import_roots(modules) if root not in self._further)
        known: dict[str, list[tuple[int, str, Path]]] = {}
        done: set[str] = set()
        while wanted and others:
            found = dict(self._importing(wanted, others, known))
            for path, hit in found.items():
                group = _group(Path(path), holding)
                if group not in done:
                    done.add(group)
                    yield Unread(_shown(group), hit[1], _shown(others[path]), hit[0])
            wanted = set(found)
            others = {path: filename for path, filename in others.items() if path not in found}

    def _importing(
        self, wanted: set[str], others: dict[str, str], known: dict[str, list[tuple[int, str, Path]]]
    ) -> Iterator[tuple[str, tuple[int, str]]]:
        """Yield the files that import one of the wanted files, each with a row and a module.

        Args:
            wanted: the wanted files.
            others: the files to look at, by their real path.
            known: the imports of the files that were parsed before.
        """
        heads = re.compile(rb"\b(?:%s)\b" % b"|".join(sorted(map(re.escape, self._heads(wanted)))))
        fixtures = {Path(path).parent for path in wanted if Path(path).name == FIXTURES}
        for path, filename in others.items():
            data = read_file(filename)
            if b"def test" in data and not fixtures.isdisjoint(Path(path).parents):
                yield path, (1, "conftest")
                continue
            if not heads.search(data):
                continue
            if path not in known:
                self._parsed += len(data)
                if self._parsed > MOST_BYTES:
                    self.is_cut_short = True
                    return
                place = locate(Path(filename).absolute(), self._further)
                text = module_text(filename, data, self._settings_of(Path(filename).parent).kind_of(filename))
                known[path] = list(imported_modules(text, place, self._wider, strings=True))
            hits = ((row, module) for row, module, file in known[path] if os.path.realpath(file) in wanted)
            hit = next(hits, None)
            if hit is not None:
                yield path, hit

    def _heads(self, wanted: set[str]) -> set[bytes]:
        """Return the words of which an importing file contains one: the last parts of the modules' names."""
        names = {Path(path).parent.name if Path(path).stem == "__init__" else Path(path).stem for path in wanted}
        parents = {Path(path).parent.name for path in wanted}  # `from . import` names no module of its own
        return {name.encode() for name in names | parents if name}

    def _others(self) -> Iterator[str]:
        """Yield the files of the repositories that are no part of the migration."""
        folders = 0

        def settings_at(folder: Path) -> Settings:
            nonlocal folders
            folders += 1
            if folders > MOST_FOLDERS:
                self.is_cut_short = True
                raise _LimitError
            return self._settings_of(folder)

        seen = 0
        with suppress(_LimitError):
            for root in self._roots():
                settings = self._settings_of(root)
                ignore = GitIgnore.above(root) if settings.respect_gitignore else None
                for file in walk(root, settings_at, ignore, []):
                    seen += 1
                    if seen > MOST_FILES:
                        self.is_cut_short = True
                        return
                    if os.path.realpath(file.filename) not in self._files:
                        yield file.filename

    def _roots(self) -> list[Path]:
        """Return the folders to search: the repositories, or else the projects, of the files."""
        cwd = Path.cwd()
        found = {_top(Path(folder), cwd) for folder in {os.path.dirname(path) for path in self._files}}  # noqa: PTH120
        roots = {root for root in found if root is not None}
        return sorted(root for root in roots if roots.isdisjoint(root.parents))

    def _settings_of(self, folder: Path) -> Settings:
        return settings_of(folder, self._settings_at, next(iter(self._files.values())))


class _LimitError(Exception):
    """The search has reached its limits."""


def _top(folder: Path, cwd: Path) -> Path | None:
    """Return the repository of a folder, or else its project or the current folder; ``None`` if there is none."""
    repository = repository_of(folder / "file")
    if repository is not None:
        return repository
    cwd = cwd.resolve()
    if folder.is_relative_to(cwd) and cwd not in (Path.home(), Path(tempfile.gettempdir()), Path(cwd.anchor)):
        return cwd
    return project_of(folder)


def _group(path: Path, holding: set[Path]) -> str:
    """Return the outermost folder of a file that holds no named file, with a slash, or else the file itself."""
    apart = [folder for folder in path.parents if folder not in holding]
    return f"{apart[-1]}/" if apart else str(path)


def _shown(path: str) -> str:
    """Return a path as it is shown: relative to the current folder where this is shorter."""
    relative = os.path.relpath(path)
    ending = "/" if path.endswith("/") else ""
    return f"{Path(relative).as_posix()}{ending}" if len(relative) < len(path) else path
