"""Patterns of ``per-file-ignores`` that match no file."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from olympus_lint.project.configuration import Configuration
from olympus_lint.project.paths import Patterns
from olympus_lint.project.settings import DEFAULT_EXCLUDE


def idle_ignores(paths: Iterable[str], checked: Sequence[str], configuration: Configuration) -> Iterator[str]:
    """Yield the patterns that match no file at all, of those that match in the folders of a run only.

    A run over some files or a part of a project says nothing of the others.

    Args:
        paths: what the run was asked to check.
        checked: the files that it has checked.
        configuration: the settings of each folder.
    """
    folders = [Path(path).absolute() for path in paths if Path(path).is_dir()]
    told: set[str] = set()
    for folder in folders:
        for pattern in configuration.at(folder).per_file_ignores:
            root = _root(pattern) if "/" in pattern else _top(folder, configuration)
            if pattern in told or not any(root.is_relative_to(each) for each in folders):
                continue
            told.add(pattern)
            names = (os.path.abspath(name) for name in checked)  # noqa: PTH100
            if not (_matches(pattern, names) or _matches(pattern, _files(root))):
                yield _shown(pattern)


def _root(pattern: str) -> Path:
    """Return the folder of all files that a pattern of paths can match."""
    parts = pattern.split("/")[:-1]
    literal = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return Path("/", *parts[:literal])


def _top(folder: Path, configuration: Configuration) -> Path:
    """Return the folder of the settings that hold in a folder; without a file of its own, the current folder."""
    settings = configuration.at(folder)
    tops = (each for each in (folder, *folder.parents) if configuration.at(each.parent) is not settings)
    return next(tops, Path.cwd())


def _matches(pattern: str, names: Iterable[str]) -> bool:
    patterns = Patterns([pattern])
    return any(patterns.match(name.rpartition("/")[2], name) for name in names)


def _files(folder: Path) -> Iterator[str]:
    """Yield the files under a folder, excluded ones, too: a run that is given their names checks them."""
    for root, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in DEFAULT_EXCLUDE]
        yield from (f"{root}/{name}" for name in names)


def _shown(pattern: str) -> str:
    """Return the sentence on a pattern, which is shown relative to the current folder."""
    shown = pattern.removeprefix(f"{glob.escape(Path.cwd().as_posix())}/")
    next_step = f"write {shown.rstrip('/')}/*" if Path(shown).is_dir() else "correct it, or take it out"
    return f"per-file-ignores: {shown} matches no file; {next_step}."
