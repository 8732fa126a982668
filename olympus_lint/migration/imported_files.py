"""Files that were not named, and that the named ones import: they are read along, and stay as they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from olympus_lint.migration.imports import imported_modules, module_text, read_file
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings, SettingsError
from olympus_rules.libraries import libraries
from olympus_rules.syntax import disk
from olympus_rules.syntax.project import import_roots, locate

FIXTURES = "conftest.py"
"""The tests of its folder, and of those below, use its fixtures without an import."""
MOST_BYTES = 10_000_000
"""The limit of what is read along."""
INSTALLED = frozenset({"site-packages", "dist-packages"})


def read_along(texts: Sequence[Text], settings_at: Callable[[Path], Settings]) -> tuple[list[Text], bool]:
    """Return the files of the project that the named files import, directly or through each other.

    The second part of the result says whether there are more, over the limit.

    Modules with the name of a library are none of the project, and neither are installed packages beside the named one.

    Args:
        texts: the named files.
        settings_at: returns the settings of a folder.
    """
    named = [text for text in texts if text.filename.endswith((".py", ".pyi"))]
    packs = dict.fromkeys(pack for text in texts for pack in text.settings.signature_packs)
    reserved = sys.stdlib_module_names.union(libraries(tuple(packs)).packages)
    further = import_roots((Path(text.filename).absolute() for text in named), reserved)
    own = {_top(text.filename, further) for text in named}
    seen = {os.path.realpath(text.filename) for text in texts}
    found: list[Text] = []
    waiting, left = list(named), MOST_BYTES
    while waiting:
        for file in _needed(waiting.pop(), further, reserved):
            real = os.path.realpath(file)
            if real in seen or (not INSTALLED.isdisjoint(file.parts) and _top(str(file), further) not in own):
                continue
            seen.add(real)
            data = read_file(str(file))
            left -= len(data)
            text = module_text(str(file), data, "python")
            if left < 0:
                return found, True
            found.append(Text(_shown(file), settings_of(file.parent, settings_at, texts[0]), text, is_named=False))
            waiting.append(found[-1])
    return found, False


def _needed(text: Text, further: tuple[Path, ...], reserved: Collection[str]) -> Iterator[Path]:
    """Yield the files of the project that a file imports, with those of the packages above, and its fixtures."""
    path = Path(text.filename).absolute()
    for _, module, file in imported_modules(text.old, locate(path, further)):
        if module.partition(".")[0] not in reserved:
            yield file
            yield from _packages(file, module.count("."))
    if "def test" in text.old:
        yield from (fixtures for folder in path.parents if disk.is_file(fixtures := folder / FIXTURES))


def _packages(file: Path, depth: int) -> Iterator[Path]:
    """Yield the ``__init__`` of the packages that hold a module."""
    folders: Iterable[Path] = file.parents if file.stem != "__init__" else file.parent.parents
    for folder, _ in zip(folders, range(depth), strict=False):
        if disk.is_file(folder / "__init__.py"):
            yield folder / "__init__.py"


def _top(filename: str, further: tuple[Path, ...]) -> str:
    """Return the name of the outermost package, or of the module, of a file."""
    path = Path(filename).absolute()
    return locate(path, further).module.partition(".")[0] or path.stem


def settings_of(folder: Path, settings_at: Callable[[Path], Settings], beside: Text) -> Settings:
    """Return the settings of a folder; those of another file where they are wrong."""
    with suppress(SettingsError):
        return settings_at(folder)
    return beside.settings


def _shown(file: Path) -> str:
    """Return the path as the user would give it: relative to the current folder where it lies in it."""
    cwd = Path.cwd()
    return str(file.relative_to(cwd)) if file.is_relative_to(cwd) else str(file)
