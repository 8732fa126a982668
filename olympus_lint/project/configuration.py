"""The settings of each folder: from the nearest settings file or the given one, and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from olympus_lint.project.settings import Settings, SettingsError, from_table, override, read_path
from olympus_rules.syntax import disk
from olympus_rules.syntax.toml import read_toml

OWN_FILE = "olympus-lint.toml"
SHARED_FILE = "pyproject.toml"
TABLE = "tool.olympus-lint"
CACHE = ".olympus-lint-cache"  # beside the settings file
EXTEND = "extend"
"""The setting that names another settings file; the only one that is none of :class:`Settings`."""


class Configuration:
    """The settings that hold in each folder."""

    def __init__(self, options: Mapping[str, object], file: Path | None = None, *, isolated: bool = False) -> None:
        """Take the options of the command line.

        Args:
            options: settings that override those of any file, by the names of :class:`Settings`.
            file: the only file to read; without it, each folder uses the nearest file at or above it.
            isolated: whether no file is read.

        Raises:
            SettingsError: the file is missing or wrong.
        """
        self._options = options
        self._folders: dict[Path, Settings] = {}
        self._named = self._read(file, Path.cwd()) if file else override(Settings(), options) if isolated else None

    def at(self, folder: Path) -> Settings:
        """Return the settings for the files of a folder.

        Raises:
            SettingsError: the nearest file is wrong.
        """
        if self._named is not None:
            return self._named
        folder = folder.absolute()
        if folder not in self._folders:
            self._folders[folder] = self._look_up(folder)
        return self._folders[folder]

    def _look_up(self, folder: Path) -> Settings:
        for name in (OWN_FILE, SHARED_FILE):
            file = folder / name
            if is_file(file) and (name == OWN_FILE or read_table(file)[0] is not None):
                return self._read(file, folder)
        if folder.parent == folder:
            return override(Settings(), self._options)
        return self.at(folder.parent)

    def _read(self, file: Path, base: Path) -> Settings:
        return override(extended(file, base, Settings(cache_dir=str(base.absolute() / CACHE))), self._options)


def extended(file: Path, base: Path, default: Settings, below: tuple[Path, ...] = ()) -> Settings:
    """Return the settings of a file over those of the file that it extends.

    Args:
        file: the file.
        base: the folder at which its relative patterns and paths start.
        default: what holds where no file says anything.
        below: the files that extend this one.

    Raises:
        SettingsError: a file is missing or wrong, or extends itself.
    """
    table, place = read_table(file)
    if table is None:
        raise SettingsError(f"{file}: there is no table [{TABLE}]; add one, or name another file.")
    own = {name: value for name, value in table.items() if name != EXTEND}
    if EXTEND in table:
        name = table[EXTEND]
        try:
            other = Path(read_path(name, base, "settings file")).resolve()
        except ValueError as error:
            raise SettingsError(f"{place}: {EXTEND}: {error}.") from None
        chain = (*below, file.resolve())
        if other in chain:
            raise SettingsError(f"{place}: {EXTEND}: {name} extends this file; leave one of the two out.")
        default = extended(other, other.parent, default, chain)
    return override(default, from_table(own, f"{place}: ", base))


def is_file(file: Path) -> bool:
    """Say whether a file exists; an inaccessible folder has no files."""
    return disk.is_file(file)


def read_table(file: Path) -> tuple[Mapping[str, object] | None, str]:
    """Return the table of settings in a file, and the name of its place for messages.

    The table is ``None`` for a ``pyproject.toml`` without ours; other files may hold the settings at the top level.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or the table is not one.
    """
    try:
        table = read_toml(disk.read(file).decode())
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read ({error.strerror}); name a readable file with --config.") from None
    except ValueError as error:
        raise SettingsError(f"{file}: is not TOML ({error}); correct it.") from None
    tools = table.get("tool", {})
    own = tools.get("olympus-lint") if isinstance(tools, dict) else None
    if own is None:
        return (None if file.name == SHARED_FILE else table), str(file)
    if not isinstance(own, dict):
        raise SettingsError(f"{file}: tool.olympus-lint is {own!r}; write a table [{TABLE}].")
    return own, f"{file}: [{TABLE}]"
