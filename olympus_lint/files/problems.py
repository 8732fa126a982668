"""Problems: why a file was not checked, or only in part."""

from __future__ import annotations

from dataclasses import dataclass

SIGNS = {code: chr(0x2400 + code) for code in range(32) if chr(code) != "\t"} | {0x7F: "\u2421"}
HIDDEN = [*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Further control characters, and those that turn the direction of the text around them."""
CONTROL = SIGNS | dict.fromkeys(HIDDEN, "\u2426")
HALF = 500
"""Characters of each end of a long message."""


def printable(text: str) -> str:
    """Return text for people, with visible signs for what could control a terminal, or a service that shows a log."""
    return text.translate(CONTROL).replace("##vso[", "##vso [")


def shortened(text: str) -> str:
    """Return a message without its middle if it is very long: it begins with the place and ends with the next step."""
    return text if len(text) <= 3 * HALF else f"{text[:HALF]} [...] {text[-HALF:]}"


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
        return printable(shortened(f"{self.filename}: {self.message}" if self.filename else self.message))
