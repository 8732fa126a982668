"""Discovery: the files that are named, and the files with Python under the folders that are named."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from olympus_lint.files.problems import Problem
from olympus_lint.project.gitignore import GitIgnore
from olympus_lint.project.settings import Settings
from olympus_rules.syntax import disk


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to check, under the user's name for it, and the settings of its folder."""

    filename: str
    settings: Settings


def discover(paths: Iterable[str], settings_at: Callable[[Path], Settings]) -> tuple[list[SourceFile], list[Problem]]:
    """Return the files to check, each once under its first name, and a problem for each path that cannot be read.

    The order is that of the paths, and by name within a folder. A file that is named is checked whatever its suffix,
    and even if it is excluded, unless ``force-exclude`` is set. Symbolic links to folders are followed only when
    named, so that a loop of links ends; as for ruff, a link to a file is a file of its own.

    Args:
        paths: files and folders.
        settings_at: the settings of a folder.

    Raises:
        SettingsError: a settings file of one of the folders is wrong.
    """
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for name in paths:
        path = Path(name)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            cause = "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
            problems.append(Problem(name, f"{cause}; check the spelling and the current folder."))
            continue
        settings = settings_at(path if stat.S_ISDIR(mode) else path.parent)
        if settings.force_exclude and settings.excluded.match_any(path):
            continue
        if not stat.S_ISDIR(mode):
            files.setdefault(place(str(path)), SourceFile(str(path), settings))
            continue
        ignore = GitIgnore.above(path) if settings.respect_gitignore else None
        for file in walk(path, settings_at, ignore, problems):
            files.setdefault(place(file.filename), file)
    return list(files.values()), problems


def place(filename: str) -> str:
    """Return one absolute path for all ways to write that of a file; ``..`` of a link leads to the folder around it."""
    folder, name = os.path.split(filename)
    absolute = os.path.realpath if os.pardir in folder else os.path.abspath
    return f"{absolute(folder)}/{name}"


def walk(
    folder: Path,
    settings_at: Callable[[Path], Settings],
    ignore: GitIgnore | None,
    problems: list[Problem],
) -> Iterator[SourceFile]:
    """Yield the files with Python under a folder; folders that cannot be read are added to ``problems``."""
    settings = settings_at(folder)
    try:
        entries = disk.entries(folder)
    except OSError as error:
        message = f"cannot be listed ({error.strerror}); make it readable or exclude it."
        problems.append(Problem(str(folder), message))
        return
    base = folder.absolute().as_posix().removesuffix("/")
    ignore = ignore.enter(folder, {entry.name for entry in entries}) if ignore else None
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not (entry.name.endswith(settings.suffixes) and is_regular(entry)):
            continue
        path = f"{base}/{entry.name}"
        if settings.excluded.match(entry.name, path) or (ignore and ignore.match(path, is_folder)):
            continue
        if is_folder:
            yield from walk(folder / entry.name, settings_at, ignore, problems)
        else:
            yield SourceFile(str(folder / entry.name), settings)


def is_regular(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry is a file or a link to one; dangling links are lock files of editors."""
    if entry.is_symlink():
        disk.exists(entry.path)  # what it leads to may come later
    try:
        return entry.is_file()
    except OSError:
        return True  # a loop of links: reading it reports the problem
