"""How long the lines of a project may be, as ruff or black read it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.toml import read_toml

USUAL = 88
"""The length that ruff and black keep where nothing else is set."""
FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")
TOOLS = ("ruff", "black")


@lru_cache(maxsize=8)
def line_length(document: Document) -> int:
    """Return how many characters a line of a file may have: the nearest setting in its folder or one above."""
    folder = disk.absolute(document.filename).parent
    lengths = (length_in(each / name) for each in (folder, *folder.parents) for name in FILES)
    return next((length for length in lengths if length is not None), USUAL)


def length_in(file: Path) -> int | None:
    """Return the length that a file of settings names, ``None`` if it names none."""
    try:
        return _named(file.name, disk.read(file).decode()) if disk.is_file(file) else None
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=8)  # one file of settings stands above many files, and takes as long to parse as they
def _named(name: str, text: str) -> int | None:
    """Return the length that the text of a file of settings names."""
    table = read_toml(text)
    tools = table.get("tool") if name == FILES[-1] else {TOOLS[0]: table}
    tables = [tools.get(tool) for tool in TOOLS] if isinstance(tools, dict) else []
    lengths = (each.get("line-length") for each in tables if isinstance(each, dict))
    return next((length for length in lengths if type(length) is int), None)
