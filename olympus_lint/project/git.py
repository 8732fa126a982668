"""Files whose content git does not have, by the index of the repository; git itself need not be installed."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from olympus_rules.syntax import disk

__all__ = ["not_in_git", "repository_of"]

FIXED = struct.Struct(">10I20sH")
"""One entry of the index: times, file, size, hash and flags."""
NAME_LENGTH = 0xFFF
EXTENDED, SPARSE = 0x4000, 0o040000
SPLIT = b"link"
"""The extension of an index that shares most entries with another file."""


def repository_of(path: Path) -> Path | None:
    """Return the innermost folder with ``.git`` that holds a path, ``None`` outside of repositories."""
    return next((folder for folder in path.parents if disk.exists(folder / ".git")), None)


def not_in_git(files: Mapping[str, bytes]) -> list[str]:
    """Return the files of repositories whose content is not that in the index: changed or new ones.

    Files outside of repositories, and those in repositories that cannot be read, are left out.

    Args:
        files: the content by path.
    """
    found, known = [], dict[Path, dict[str, tuple[int, bytes]] | None]()
    for name, data in files.items():
        path = Path(os.path.realpath(name))
        repository = repository_of(path)
        if repository is None:
            continue
        if repository not in known:
            known[repository] = _index(repository)
        entries = known[repository]
        if entries is not None and _is_changed(entries.get(path.relative_to(repository).as_posix()), data):
            found.append(name)
    return found


def _is_changed(entry: tuple[int, bytes] | None, data: bytes) -> bool:
    """Say whether a file differs from its entry in the index, apart from line ends that git translates."""
    return entry is None or entry[1] not in (_blob(data), _blob(data.replace(b"\r\n", b"\n")))


def _blob(data: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def _index(repository: Path) -> dict[str, tuple[int, bytes]] | None:
    """Return the entries of the index, mode and hash by path; ``None`` for one of a kind that is not read."""
    with suppress(OSError, ValueError, struct.error, UnicodeDecodeError, IndexError):
        folder = repository / ".git"
        if folder.is_file():  # a worktree, or a submodule
            folder = repository / folder.read_text("utf-8").removeprefix("gitdir:").strip()
        config = (folder / "config").read_bytes() if (folder / "config").is_file() else b""
        if b"sha256" in config or not (folder / "index").is_file():
            return None
        return dict(_entries((folder / "index").read_bytes()))
    return None


def _entries(data: bytes) -> Iterator[tuple[str, tuple[int, bytes]]]:
    """Yield the entries of an index: path, mode and hash.

    Raises:
        ValueError: it is of a kind that is not read.
        struct.error, IndexError: it is broken.
    """
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    at, name = 12, b""
    for _ in range(count):
        start, fields = at, FIXED.unpack_from(data, at)
        mode, digest, flags = fields[6], fields[10], fields[11]
        at += FIXED.size + (2 if flags & EXTENDED else 0)
        if mode == SPARSE:
            raise ValueError("a sparse index")
        kept = 0
        if version == 4:
            dropped, at = _number(data, at)
            kept = len(name) - dropped
        end = data.index(b"\0", at)
        name = name[:kept] + data[at:end]
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        yield os.fsdecode(name), (mode, digest)
    if data[at : at + 4] == SPLIT:
        raise ValueError("a split index")


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the place after it."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
