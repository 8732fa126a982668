"""What is sent to other machines: the files of a run by content, which their processes see instead of their disks."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

from olympus_codemods.editing import widths
from olympus_lint.project.discovery import SourceFile
from olympus_lint.run.clearance import Clearance
from olympus_rules.syntax import disk

MODULES = (".py", ".pyi")
READ = (*MODULES, "pyproject.toml", "ruff.toml")


class Unsent(BaseException):
    """A process looks at what was not sent to it; no analysis may take it for a failure of its own.

    Attributes:
        name: the absolute name of the file or folder.
    """

    def __init__(self, name: str) -> None:
        """Take the name."""
        super().__init__(name)
        self.name = name


@dataclass
class Parcel:
    """Files and folders of one machine, for the processes of others; a :class:`olympus_rules.syntax.disk.View`.

    Attributes:
        program: the digest of the program, which has to be the same on all machines.
        folder: the current folder.
        clearance: the constructors of keys that can be renamed safely.
        number: how often something was added.
        run: tells the parcels of several runs apart.
    """

    program: str
    folder: str
    clearance: Clearance | None
    number: int = 0
    run: str = field(default_factory=lambda: uuid4().hex)
    _kinds: dict[str, int] = field(default_factory=dict)
    _contents: dict[str, bytes | OSError] = field(default_factory=dict)
    _listings: dict[str, frozenset[str] | OSError] = field(default_factory=dict)
    _links: set[str] = field(default_factory=set)

    # on the machine that has the files

    def pack(self, files: Iterable[SourceFile]) -> None:
        """Add files to check, and all that was looked at on disk so far."""
        folders: set[Path] = set()
        for file in files:
            path = disk.absolute(file.filename)
            self.add(str(path), is_read=True)
            folders.update(path.parents)
        for folder in folders:  # a fix keeps to the line length that is set there
            for name in widths.FILES:
                self.add(str(folder / name))
        for name in disk.looked_at():
            self.add(name)

    def add(self, name: str, *, is_read: bool = False) -> None:
        """Add a file or folder, or that there is none.

        Args:
            name: its absolute name.
            is_read: whether its bytes are wanted, as those of a Python file always are.
        """
        self.number += 1
        kind = disk.FILE if disk.is_file(name) else disk.FOLDER if disk.is_folder(name) else disk.ABSENT
        self._kinds[name] = kind
        if disk.is_link(name):
            self._links.add(name)
        if kind == disk.FOLDER:
            try:
                entries = disk.entries(name)
            except OSError as error:
                self._listings[name] = error
                return
            self._listings[name] = frozenset(entry.name for entry in entries)
            for entry in entries:
                if not entry.is_symlink():
                    kind = disk.FILE if entry.is_file() else disk.FOLDER if entry.is_dir() else disk.OTHER
                    self._kinds.setdefault(entry.path, kind)
        elif kind == disk.FILE and name not in self._contents and (is_read or name.endswith(READ)):
            self._contents[name] = _bytes_of(name)

    def complete(self, name: str) -> None:
        """Add what a process has looked at in vain, and its neighbours, as it will look at some of these next."""
        self.add(name, is_read=True)
        folder = os.path.dirname(name)  # noqa: PTH120
        self.add(folder)
        listing = self._listings.get(folder)
        for each in listing if isinstance(listing, frozenset) else ():
            if each.endswith(MODULES):
                self.add(os.path.join(folder, each))  # noqa: PTH118

    # on the machine that is shown them

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        content = self._contents.get(name)
        if content is None:
            self._refuse(name)
        if isinstance(content, OSError):
            raise content
        return content

    def names(self, name: str) -> frozenset[str]:
        """Return the names in a folder."""
        listing = self._listings.get(name)
        if listing is None:
            self._refuse(name)
        if isinstance(listing, OSError):
            raise listing
        return listing

    def kind(self, name: str) -> int:
        """Return what there is under a name."""
        kind = self._kinds.get(name)
        if kind is not None:
            return kind
        folder, _, base = name.rpartition(os.sep)
        listing = self._listings.get(folder)
        if isinstance(listing, frozenset) and base not in listing and base != os.pardir:  # which no listing has
            return disk.ABSENT
        if listing is None and folder and self._is_no_folder(folder):
            return disk.ABSENT
        raise Unsent(name)

    def _is_no_folder(self, name: str) -> bool:
        """Return whether it is known that there is no folder under a name."""
        try:
            return self.kind(name) in (disk.ABSENT, disk.FILE)
        except Unsent:
            return False

    def is_link(self, name: str) -> bool:
        """Return whether it is a symbolic link."""
        return self.kind(name) != disk.ABSENT and name in self._links

    def _refuse(self, name: str) -> NoReturn:
        if self.kind(name) == disk.ABSENT:
            raise FileNotFoundError(2, os.strerror(2), name)
        raise Unsent(name)


def _bytes_of(name: str) -> bytes | OSError:
    try:
        return disk.read(name)
    except OSError as error:
        return error
