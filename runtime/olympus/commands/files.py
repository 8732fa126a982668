"""Files that a command writes."""

from __future__ import annotations

import os
from pathlib import Path

from olympus.commands import Trouble


def write_whole(path: Path, text: str) -> None:
    """Write a file, as a whole or not at all.

    Raises:
        Trouble: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            temporary.write_bytes(text.encode())
            if path.exists():
                temporary.chmod(path.stat().st_mode)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Trouble(f"{path}: it cannot be written: {error.strerror}; give another --output-file") from error
