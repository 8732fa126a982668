"""File patterns of the settings, with the semantics of ruff."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

MOST = 5
"""Occurrences of ``**/`` in one pattern: each doubles the number of its variants."""
LONGEST = 1000
"""Characters of a pattern: the time to translate one may grow with their square."""


def anchored(pattern: str, base: Path) -> str:
    """Return a pattern with a relative path anchored at ``base``; a bare name is not changed.

    Raises:
        ValueError: it has more than :data:`MOST` times ``**/``, or more than :data:`LONGEST` characters.
    """
    if len(pattern) > LONGEST:
        raise ValueError(f"{pattern!r} has {len(pattern)} characters, and a pattern has at most {LONGEST}")
    while "**/**/" in pattern:
        pattern = pattern.replace("**/**/", "**/")
    if (number := pattern.count("**/")) > MOST:
        raise ValueError(f"{pattern!r} has {number} times `**/`, and a pattern has it at most {MOST} times")
    if "/" not in pattern or pattern.startswith("/"):
        return pattern
    return f"{glob.escape(base.absolute().as_posix())}/{pattern.removeprefix('./')}"


class Patterns:
    """Patterns of names (``build``, ``*_pb2.py``) and of absolute paths (``/home/me/project/gen/*``).

    ``*`` also matches slashes, and ``**/`` no folder at all.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile them to one expression for names and one for paths."""
        self.patterns = tuple(pattern.removesuffix("/") for pattern in patterns)
        self._names = alternatives(pattern for pattern in self.patterns if "/" not in pattern)
        self._paths = alternatives(pattern for pattern in self.patterns if "/" in pattern)

    def match(self, name: str, path: str) -> bool:
        """Say whether a pattern matches a file or folder, by its name or its absolute path."""
        return bool(self._names.match(name) or self._paths.match(path))

    def match_any(self, path: Path) -> bool:
        """Say whether a pattern matches a file or a folder above it."""
        absolute = path.absolute()
        return any(self.match(part.name, part.as_posix()) for part in (absolute, *absolute.parents))


def alternatives(patterns: Iterable[str]) -> re.Pattern[str]:
    """Join patterns to one regular expression, which matches nothing if there are none."""
    forms = [form for pattern in patterns for form in zero_or_more_folders(pattern)]
    return re.compile("|".join(fnmatch.translate(form) for form in forms) or r"(?!)")


def zero_or_more_folders(pattern: str) -> Iterable[str]:
    """Return the variants of a pattern with each ``**/`` kept or left out."""
    parts = pattern.split("**/")
    for between in itertools.product(("**/", ""), repeat=len(parts) - 1):
        yield parts[0] + "".join(a + b for a, b in zip(between, parts[1:], strict=True))
