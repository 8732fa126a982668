"""The kinds of files by suffix: Python, notebook, Markdown."""

from __future__ import annotations

from collections.abc import Iterable

KINDS = ("python", "ipynb", "markdown")
KNOWN = {"py": "python", "pyi": "python", "ipynb": "ipynb", "md": "markdown", "markdown": "markdown"}


def kinds_by_suffix(extension: Iterable[str]) -> dict[str, str]:
    """Return the kind of each suffix; ``extension`` adds some, such as ``qmd:markdown``."""
    return KNOWN | dict(text.split(":") for text in extension)
