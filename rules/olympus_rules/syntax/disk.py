"""Looks at files and folders. They are noted: while all of them would show the same, a run has the same results.

The notes are those of this process. A look is noted with the status of the file before it was read, so that a file
that changes meanwhile has another status afterwards. Some file systems give one time to two changes that follow each
other closely, so that the status of a file that was changed just before a look proves nothing, and its digest does.

A process on another machine is shown the files that were sent to it: a :class:`View` instead of its disk.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, TypeAlias

Note: TypeAlias = "list[int | str]"
"""What a look showed: nothing certain, the kind alone, or the kind with status and digest (see :func:`_noted`)."""
ABSENT, FILE, FOLDER, OTHER = range(4)
MOST = 64 << 20
"""Bytes that are read of what is no file."""
RECENT = 2_000_000_000
"""Nanoseconds in which a file system may give one time to two changes."""


class View(Protocol):
    """Files and folders that are shown in the place of those on disk; names are absolute."""

    @property
    def folder(self) -> str:
        """The current folder."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, or raise ``OSError`` as a disk does."""

    def names(self, name: str) -> Iterable[str]:
        """Return the names in a folder, or raise ``OSError`` as a disk does."""

    def kind(self, name: str) -> int:
        """Return :data:`ABSENT`, :data:`FILE`, :data:`FOLDER` or :data:`OTHER`."""

    def is_link(self, name: str) -> bool:
        """Return whether it is a symbolic link."""


_notes: dict[str, Note] = {}
_view: View | None = None


@contextmanager
def showing(view: View) -> Iterator[None]:
    """Show other files and folders for a while; of them, nothing is noted."""
    global _view
    former, _view = _view, view
    try:
        yield
    finally:
        _view = former


def absolute(path: str | Path) -> Path:
    """Return the path from the root; one that is not is in the current folder."""
    return Path(_absolute(path))


def read(path: str | Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: it cannot be read.
        ValueError: the path is none.
    """
    name = _absolute(path)
    if _view is not None:
        return _view.read(name)
    status = _status(name)
    try:
        data = _contents(name, status)
    except OSError:
        _note(name, [ABSENT] if status is None else [])
        raise
    _note(name, [] if status is None else _noted(status, data))
    return data


def contents(name: str) -> bytes:
    """Return the bytes of a file on disk; of what is no file, such as a device or a pipe, not without end.

    Raises:
        OSError: it cannot be read, or is a device that gives more than :data:`MOST` bytes.
        ValueError: the name is none.
    """
    return _contents(name, _status(name))


def _contents(name: str, status: os.stat_result | None) -> bytes:
    if _kind(status) != OTHER:
        return Path(name).read_bytes()
    with Path(name).open("rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
    return data


def entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, by name.

    Raises:
        OSError: it cannot be listed.
    """
    name = _absolute(folder)
    status = _status(name)
    try:
        with os.scandir(name) as scan:
            found = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        _note(name, [ABSENT] if status is None else [])
        raise
    _note(name, [] if status is None else _noted(status, _listing([entry.name for entry in found])))
    return found


def names(folder: str | Path) -> frozenset[str]:
    """Return the names in a folder.

    Raises:
        OSError: it cannot be listed.
    """
    if _view is not None:
        return frozenset(_view.names(_absolute(folder)))
    return frozenset(entry.name for entry in entries(folder))


def exists(path: str | Path) -> bool:
    """Return whether there is a file or folder; there is none in a folder that may not be entered."""
    return _kind_at(path) != ABSENT


def is_file(path: str | Path) -> bool:
    """Return whether there is a file."""
    return _kind_at(path) == FILE


def is_folder(path: str | Path) -> bool:
    """Return whether there is a folder."""
    return _kind_at(path) == FOLDER


def is_link(path: str | Path) -> bool:
    """Return whether it is a symbolic link."""
    name = _absolute(path)
    return os.path.islink(name) if _view is None else _view.is_link(name)  # noqa: PTH114


def looked_at() -> list[str]:
    """Return the absolute names of all that was looked at."""
    return [*_notes]


def forget() -> None:
    """Forget all looks: a run begins."""
    _notes.clear()


def taken() -> dict[str, Note]:
    """Return the looks so far, and forget them."""
    notes = dict(_notes)
    _notes.clear()
    return notes


def without_listed(notes: Mapping[str, Note]) -> dict[str, Note]:
    """Return looks without those at the kinds of entries of folders that were listed; what a link leads to stays."""
    listed = {name for name, note in notes.items() if len(note) > 1 and note[0] == FOLDER}

    def is_said(name: str, note: Note) -> bool:
        return len(note) == 1 and os.path.dirname(name) in listed and not os.path.islink(name)  # noqa: PTH114, PTH120

    return {name: note for name, note in notes.items() if not is_said(name, note)}


def merge(notes: Mapping[str, Note]) -> None:
    """Add the looks of another process."""
    for name, note in notes.items():
        _note(name, note)


def rewritten(notes: Mapping[str, Note]) -> list[str] | None:
    """Return the files that have other bytes now; ``None`` if another look would show something else, too."""
    changed = [name for name, note in notes.items() if not _holds(name, note)]
    is_written = (len(notes[name]) > 1 and notes[name][0] == FILE and _kind(_status(name)) == FILE for name in changed)
    return changed if all(is_written) else None


def _holds(name: str, note: Note) -> bool:
    status = _status(name)
    match note:
        case [kind]:
            return _kind(status) == kind
        case [kind, *known, digest, recent] if status is not None and _kind(status) == kind in (FILE, FOLDER):
            if not recent and known == _state(status):
                return True
            try:
                return _digest(_listing(_names(name)) if kind == FOLDER else Path(name).read_bytes()) == digest
            except OSError:
                return False
    return False


def _noted(status: os.stat_result, data: bytes) -> Note:
    """Return a look as plain data: kind, state and digest, and whether only the digest proves anything."""
    recent = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < RECENT
    return [_kind(status), *_state(status), _digest(data), int(recent)]


def _state(status: os.stat_result) -> list[int]:
    """Return what changes with a file: a copy may keep the time and size of another one, and has its own others."""
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _note(name: str, note: Note) -> None:
    """Note a look. If an earlier one showed something else, nothing is certain."""
    known = _notes.get(name)
    if known is None or (len(known) == 1 and note[:1] == known):
        _notes[name] = note
    elif len(note) > 1 and known[:-1] == note[:-1]:
        _notes[name] = min(known, note)  # the later look is the one that is not recent
    elif not (len(note) == 1 and known[:1] == note):
        _notes[name] = []


def _kind_at(path: str | Path) -> int:
    name = _absolute(path)
    if _view is not None:
        return _view.kind(name)
    kind = _kind(_status(name))
    _note(name, [kind])
    return kind


def _absolute(path: str | Path) -> str:
    """Return a name that means the same in any folder; a link before a `..` stays."""
    name = str(path)
    if name.startswith(os.sep):
        return name
    folder = os.getcwd() if _view is None else _view.folder  # noqa: PTH109
    return os.path.join(folder, name) if name != "." else folder  # noqa: PTH118


def _kind(status: os.stat_result | None) -> int:
    if status is None:
        return ABSENT
    return FILE if stat.S_ISREG(status.st_mode) else FOLDER if stat.S_ISDIR(status.st_mode) else OTHER


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)  # noqa: PTH116
    except (OSError, ValueError):
        return None


def _names(folder: str) -> list[str]:
    with os.scandir(folder) as scan:
        return [entry.name for entry in scan]


def _listing(found: list[str]) -> bytes:
    return "\0".join(sorted(found)).encode(errors="surrogatepass")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=12).hexdigest()
