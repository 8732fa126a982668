"""Why a file was not checked, or not wholly."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something was not, or not wholly, checked.

    Attributes:
        filename: the file or folder; empty when the cause lies elsewhere.
        message: the cause and the next step, as a sentence.
        detail: a traceback, shown with ``--verbose``.
        is_newer: whether the cause is syntax of a newer Python, which summaries count apart.
    """

    filename: str
    message: str
    detail: str = ""
    is_newer: bool = False

    def __str__(self) -> str:
        """Return the sentence with its place."""
        return f"{self.filename}: {self.message}" if self.filename else self.message
