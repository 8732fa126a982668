"""The stub beside a package whose names ``lazy_loader.attach_stub`` makes those of the package."""

from __future__ import annotations

from pathlib import Path

from olympus_rules.syntax import disk

ATTACHES = "attach_stub("
"""What a package writes to get its names from its stub."""


def attached_stub(path: str, *, attaches: bool) -> bytes:
    """Return the bytes of the stub of a package, empty if it has none.

    Args:
        path: the absolute path of a Python file.
        attaches: whether its text has :data:`ATTACHES`.
    """
    file = Path(path)
    if not attaches or file.name != "__init__.py":
        return b""
    try:
        return disk.read(file.with_suffix(".pyi"))
    except OSError:
        return b""
