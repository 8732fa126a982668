"""Problems: why a file was not checked, or only in part."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file was not checked, or only in part.

    Attributes:
        filename: the file or folder; empty for another cause.
        message: the cause and the next step, as a sentence.
        detail: a traceback, shown with ``--verbose``.
        is_newer: whether the cause is syntax of a newer Python, which the summary counts separately.
    """

    filename: str
    message: str
    detail: str = ""
    is_newer: bool = False

    def __str__(self) -> str:
        """Return the sentence with its place."""
        return f"{self.filename}: {self.message}" if self.filename else self.message
