"""Files that a command writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from olympus.commands import Trouble


def write_whole(path: Path, text: str) -> None:
    """Write a file, as a whole or not at all.

    Raises:
        Trouble: it cannot be written.
    """
    try:
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_mask()
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(text.encode())
        try:
            temporary.chmod(mode)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Trouble(f"{path}: it cannot be written: {error.strerror}; give another --output-file") from error


def _mask() -> int:
    """Return which permissions new files do not get; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
