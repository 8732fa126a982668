"""The texts in the editor, which hide the files on disk that they are versions of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from olympus_rules.syntax import disk


class Buffers:
    """Open texts over the disk; a :class:`olympus_rules.syntax.disk.View`.

    Attributes:
        folder: the current folder.
        texts: the bytes of the open files, by absolute name. The thread of the checks gets a new mapping each time.
    """

    def __init__(self, texts: Mapping[str, bytes] | None = None) -> None:
        """Take the open texts."""
        self.folder = str(Path.cwd())
        self.texts = {} if texts is None else texts

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        text = self.texts.get(name)
        return disk.contents(name) if text is None else text

    def names(self, name: str) -> set[str]:
        """Return the names in a folder, with those of open files that were never saved."""
        unsaved = {os.path.basename(each) for each in self.texts if os.path.dirname(each) == name}  # noqa: PTH119, PTH120
        return unsaved.union(os.listdir(name))  # noqa: PTH208

    def kind(self, name: str) -> int:
        """Return what there is under a name."""
        if name in self.texts or os.path.isfile(name):  # noqa: PTH113
            return disk.FILE
        return disk.FOLDER if os.path.isdir(name) else disk.OTHER if os.path.lexists(name) else disk.ABSENT  # noqa: PTH112

    def is_link(self, name: str) -> bool:
        """Return whether it is a symbolic link."""
        return os.path.islink(name)  # noqa: PTH114
