"""Shards: the files of a run, divided among several machines that each have the whole tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from olympus_lint.project.discovery import SourceFile


def shard(files: Sequence[SourceFile], number: int, count: int) -> list[SourceFile]:
    """Return the files of one shard, in their order.

    Each file is in one shard. The files of a folder stay together, as they import each other, and the shards have
    about as many bytes. Machines with the same tree agree on the shards.

    Args:
        files: all files.
        number: that of the shard, from 1.
        count: how many shards there are.
    """
    folders: dict[Path, list[SourceFile]] = defaultdict(list)
    for file in files:
        folders[Path(file.filename).parent].append(file)
    sizes = {folder: sum(map(_size, held)) for folder, held in folders.items()}
    loads = [0] * count
    taken: set[str] = set()
    for folder in sorted(folders, key=lambda folder: (-sizes[folder], folder)):
        least = loads.index(min(loads))
        loads[least] += max(sizes[folder], 1)
        if least == number - 1:
            taken.update(file.filename for file in folders[folder])
    return [file for file in files if file.filename in taken]


def _size(file: SourceFile) -> int:
    try:
        return Path(file.filename).stat().st_size
    except OSError:
        return 0
